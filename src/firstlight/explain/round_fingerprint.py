"""
What round.json tells of the fingerprint of a start that `measure -- COMMAND` made.

It has the command, the variables that change a start, and facts of the host, none of which is
in the log. Where a run keeps its own things changes nothing, and two runs keep them in two
places: a path below the run's own folders is only called that. A model's keeps its end.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from firstlight.core.fingerprints import ENVIRONMENT, Fingerprint
from firstlight.core.secrets import redacted_values
from firstlight.manifests.given_words import given_words
from firstlight.readers.kube.fields import mapping, natural

_OF_THE_HOST = {
    "host": "host",
    "kernel": "kernel",
    "machine": "architecture",
    "cpu_model": "processor",
    "nvidia_driver": "driver",
}
_OWN = "RUN"
_BEFORE = r"(?<![\w./-])(?:\./)?"
_BEHIND = r"(?![\w.-])([^\s\"',:;)\]}]*)"
_NOT_KNOWN = "unknown"
_GIB = 2**30
_MOST_FOLDERS = 64
"""A thousand rounds of one run have its folder in common, and those of a step their words."""


def round_fingerprint(
    command: Sequence[str],
    told: Mapping[str, Any],
    *,
    probe: bool | None = None,
    own_folders: Sequence[str] = (),
) -> Fingerprint:
    """
    What is known beside the log.

    Args:
        command: as it was started, secrets blacked out.
        told: the fingerprint of round.json.
        probe: whether firstlight's probe was in it; None where nobody says.
        own_folders: folders that are this run's own.
    """
    environment = {str(n): str(v) for n, v in mapping(told.get("environment")).items()}
    found, hidden = _given(tuple(command), tuple(environment.items()))
    values = _of_host(mapping(told.get("host"))) | dict(found.values)
    page_cache = mapping(told.get("conditions")).get("page_cache")
    if isinstance(page_cache, str) and page_cache != _NOT_KNOWN:
        values["page cache"] = page_cache
    if probe is not None:
        values["probe"] = "on" if probe else "off"
    values |= {f"{ENVIRONMENT}{n}": v for n, v in hidden.items()}
    # A cache of a run's own is a cache; which model of its own it starts is not all the same.
    values = {
        name: _without_own(value, own_folders, _OWN if name != "model" else rf"{_OWN}\1")
        for name, value in values.items()
    }
    whole = {ENVIRONMENT} if isinstance(told.get("environment"), dict) else set()
    return Fingerprint(values=values, whole=found.whole | whole)


@lru_cache(maxsize=_MOST_FOLDERS)
def _given(
    command: tuple[str, ...], variables: tuple[tuple[str, str], ...]
) -> tuple[Fingerprint, Mapping[str, str]]:
    """What the words say, and the variables without secrets; all rounds of a step have the same."""
    environment = dict(variables)
    return given_words(command, environment=environment), redacted_values(environment)


def _of_host(facts: Mapping[str, Any]) -> dict[str, str]:
    """Those facts that a host has; one that it does not tell is not known."""
    values = {name: str(facts[key]) for key, name in _OF_THE_HOST.items() if facts.get(key)}
    allowed, limit = natural(facts.get("cpus_allowed")), natural(facts.get("cgroup_millicpus"))
    if allowed:
        values["processors"] = f"{limit / 1000:g} of {allowed}" if limit else str(allowed)
    if size := natural(facts.get("memory_bytes")):
        # The last megabytes of it move from boot to boot.
        values["memory"] = f"{size / _GIB:.1f} GiB"
    speeds = filter(None, map(natural, mapping(facts.get("nic_mbit_per_s")).values()))
    if told := " and ".join(f"{speed} Mbit/s" for speed in sorted(set(speeds))):
        values["network"] = told
    models = facts.get("accelerators")
    if isinstance(models, list) and models:
        # As the label of a node has it, which may hold no blank.
        called = {str(model).replace(" ", "-") for model in models}
        values["accelerator"] = " and ".join(sorted(called))
        values["accelerators"] = str(len(models))
    return values


def _without_own(value: str, folders: Sequence[str], instead: str) -> str:
    for folder in sorted(folders, key=len, reverse=True):
        # However it is spelled, its own name is in it.
        if "/" in value and folder.rstrip("/").rpartition("/")[2] in value:
            value = _spelled(folder).sub(instead, value)
    return value


@lru_cache(maxsize=_MOST_FOLDERS)
def _spelled(folder: str) -> re.Pattern[str]:
    """A folder in any of its spellings, the longest first."""
    spellings = "|".join(re.escape(one) for one in _spellings(folder.strip("/")))
    return re.compile(f"{_BEFORE}(?:{spellings}){_BEHIND}")


def _spellings(folder: str) -> Iterator[str]:
    """From the root, and from folders above: one name alone may be anything's."""
    parts = folder.split("/")
    yield f"/{folder}"
    for first in range(len(parts) - 1):
        yield "/".join(parts[first:])
