"""
What differs between the objects of two steps, in the names that fingerprints have for it.

`manifests` tells differences as paths into objects. A pod's fingerprint knows arguments,
variables, the model, volumes: only what differs under such a name has to be declared, so that
two starts may be compared in spite of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from firstlight.core.fingerprints import ARGUMENT
from firstlight.core.fingerprints import ENVIRONMENT as VARIABLE
from firstlight.core.secrets import redacted_values
from firstlight.manifests.difference_lines import difference_line
from firstlight.manifests.differences import Difference, differences
from firstlight.manifests.list_keys import keys
from firstlight.manifests.objects import ObjectSet

_ARGUMENT = re.compile(r"\.(?:args|command)\[--(?:no-)?(?P<name>[^\]]+)\]$")
_MODEL = re.compile(r"\.(?:args|command)\[(?:0|--model)\]$")
_COMMAND = re.compile(r"\.(?:args|command)$")
_VARIABLE = re.compile(r"\.env\[(?P<name>[^\]]+)\](?P<rest>.*)$")
_VOLUME = re.compile(r"\.volume(?:s|Mounts)\b")
_IMAGE = re.compile(r"\.containers\[[^\]]+\]\.image$")
_MEMORY = re.compile(r"\.resources\.limits\.memory$")
_VOLUME_KINDS = frozenset({"PersistentVolume", "PersistentVolumeClaim"})
_BY_KEY = ("env", "volumes", "volumeMounts", "initContainers")
"""Lists that a change may be the first to have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectDifference:
    """One value that is not the same in two steps."""

    found: Difference

    @property
    def line(self) -> str:
        """For people; a secret is blacked out."""
        return difference_line(self._redacted())

    @property
    def fingerprint_names(self) -> tuple[str, ...]:
        """Under which names two starts differ by it; none where nothing of it is in them."""
        path = self.found.path
        if self.found.identity.kind in _VOLUME_KINDS or _VOLUME.search(path):
            return ("volumes",)
        if _MODEL.search(path):
            return (f"{ARGUMENT}--model", "model", "volumes")
        if named := _ARGUMENT.search(path):
            return (f"{ARGUMENT}--{named['name']}",)
        if named := _VARIABLE.search(path):
            return (f"{VARIABLE}{named['name']}",)
        if _COMMAND.search(path):
            return ("command",)
        if _IMAGE.search(path):
            return ("image", "image digest", "engine version")
        return ("memory limit",) if _MEMORY.search(path) else ()

    def _redacted(self) -> Difference:
        named = _VARIABLE.search(self.found.path)
        if named is None:
            return self.found
        shown = {}
        for side in ("before", "after"):
            value = getattr(self.found, side)
            if isinstance(value, dict) and isinstance(value.get("value"), str):
                value = {**value, **_blacked_out(named["name"], value["value"])}
            elif isinstance(value, str) and named["rest"] == ".value":
                value = _blacked_out(named["name"], value)["value"]
            shown[side] = value
        return replace(self.found, **shown)


def object_differences(before: ObjectSet, after: ObjectSet) -> tuple[ObjectDifference, ...]:
    """All that is not the same; of a list that is new, each of its elements."""
    return tuple(
        ObjectDifference(found=one)
        for whole in differences(before, after)
        for one in _by_element(whole)
    )


def _by_element(whole: Difference) -> Iterator[Difference]:
    """A list that was not there before, or is no longer there, element by element."""
    field = whole.path.rpartition(".")[2]
    sides = whole.before or [], whole.after or []
    told = [_told(side, field) for side in sides]
    if field not in _BY_KEY or None in (whole.path, *told):
        yield whole
        return
    before, after = (dict(pairs or ()) for pairs in told)
    for key in dict.fromkeys([*before, *after]):
        yield replace(
            whole, path=f"{whole.path}[{key}]", before=before.get(key), after=after.get(key)
        )


def _told(side: object, field: str) -> Sequence[tuple[str, object]] | None:
    """Elements by what tells them apart; None where nothing does."""
    if not isinstance(side, list):
        return None
    if not side:
        return ()
    names = keys(side, of=field)
    return None if names is None else list(zip(names, side, strict=True))


def _blacked_out(name: str, value: str) -> dict[str, str]:
    return {"value": redacted_values({name: value})[name]}
