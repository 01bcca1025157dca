"""
Calls of the engine's sleep endpoints that stand in the objects: in CronJobs, side containers,
hooks and scripts.

Whoever else calls them is not seen, so the absence of a call tells nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.readers.json_pointer import pointer

_SLEEP = re.compile(r"(?<!bin)(?<!/-)/sleep(?![\w./-])(?:\?[^\s\"'#]*?\blevel=(\d))?")
"""Of an engine, and not the program that waits; a gateway's /-/sleep has a level of its own."""
_WAKE = re.compile(r"/wake_up\b")
_RELOAD = re.compile(r"reload_weights|update_weights")
_WORDS = ("/sleep", "/wake_up", "_weights")
_Path = tuple[str | int, ...]
_LONGEST = 200_000
"""Characters of one text that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepCall:
    """A text that puts an engine to sleep."""

    manifest: Manifest
    pointer: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepCalls:
    """What the objects show of it."""

    calls: tuple[SleepCall, ...]
    wakes: bool
    """A call that wakes is among the objects too."""
    reloads: bool
    """Something among the objects gives weights back."""

    @property
    def levels(self) -> frozenset[int]:
        return frozenset(call.level for call in self.calls)


def sleep_calls(scene: Scene) -> SleepCalls:
    """The calls in all objects."""
    calls, wakes, reloads = list[SleepCall](), False, False
    for manifest in scene.objects:
        if manifest.identity.kind == "CustomResourceDefinition":
            continue
        for at, text in _texts(manifest.value, ()):
            wakes = wakes or bool(_WAKE.search(text))
            reloads = reloads or bool(_RELOAD.search(text))
            calls += [
                SleepCall(manifest=manifest, pointer=pointer(*at), level=int(found[1] or 1))
                for found in _SLEEP.finditer(text)
            ]
    return SleepCalls(calls=tuple(calls), wakes=wakes, reloads=reloads)


def _texts(value: object, at: _Path) -> Iterator[tuple[_Path, str]]:
    """Every text that a call may stand in, with where it is."""
    if isinstance(value, str):
        if any(word in value for word in _WORDS):
            yield at, value[:_LONGEST]
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str | dict | list):
                yield from _texts(inner, (*at, str(key)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, (*at, number))
