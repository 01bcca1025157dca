"""
What a log tells of the start's fingerprint: version, model, arguments.

The server prints its arguments, the engine its settings. The settings repeat the arguments
with every default, so they count only where the arguments are not there: one change must not
differ under two names.
"""

import re
from collections.abc import Iterable

from firstlight.core.fingerprints import ARGUMENT, SETTING, Fingerprint
from firstlight.core.secrets import redacted_values
from firstlight.explain.group import Group
from firstlight.manifests.given_words import UNTIMED
from firstlight.readers.printed_arguments import printed_arguments, printed_settings
from firstlight.readers.wordings.wording import Say

_MODELS = ("--model", "--model-tag")
_PASSING_FOLDER = re.compile(r"/tmp/tmp\w{8}(/.*)?")  # noqa: S108 - a name to know again
"""Where vLLM put the configuration of a model from a bucket: another name at each start."""


def engine_version(group: Group) -> str | None:
    """Without its v; None where no line tells."""
    for say in (Say.BANNER_VERSION, Say.API_VERSION, Say.ENGINE_BEGINS):
        if found := group.first(say):
            return found.values["version"].lstrip("v") or None
    return None


def log_fingerprint(group: Group) -> Fingerprint:
    """What its lines tell, secrets blacked out."""
    values: dict[str, str] = {}
    if version := engine_version(group):
        values["engine version"] = version
    given = _arguments(group)
    model = _usable((given or {}).get(name) for name in _MODELS)
    # A whole line of settings is worth reading only where the arguments do not tell.
    settings = _settings(group) if given is None or model is None else {}
    banner = group.first(Say.BANNER_MODEL)
    model = model or _usable(
        [settings.get("model"), banner.values["model"].strip() if banner else None]
    )
    if model:
        values["model"] = model
    if given is None:
        told = {n: v for n, v in settings.items() if n != "model"}
        values |= {f"{SETTING}{name}": value for name, value in redacted_values(told).items()}
        return Fingerprint(values=values)
    named = {n: v for n, v in given.items() if n not in UNTIMED and n not in _MODELS}
    values |= {f"{ARGUMENT}{name}": value for name, value in redacted_values(named).items()}
    return Fingerprint(values=values, whole=frozenset({ARGUMENT}))


def _usable(models: Iterable[str | None]) -> str | None:
    """The first that names a model, and not where it passed through; None without one."""
    return next((m for m in models if m and not _PASSING_FOLDER.fullmatch(m)), None)


def _arguments(group: Group) -> dict[str, str] | None:
    """None where no whole line of them is in the log."""
    for told in group.says(Say.ARGUMENTS):
        read = printed_arguments(told.values.get("arguments", ""))
        if read is not None:
            return read
    return None


def _settings(group: Group) -> dict[str, str]:
    told = (o.values.get("config", "") for o in group.says(Say.ENGINE_BEGINS))
    return printed_settings(next(filter(None, told), ""))
