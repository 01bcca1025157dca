"""
How far a push or a pull has come, in values: whoever shows it has the words.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Event(StrEnum):
    """What is being done."""

    WAITING = "waiting"
    """For an engine, or for its caches to be written to their end."""
    PACKING = "packing"
    WRITING = "writing"
    """To the store."""
    LOOKING = "looking"
    """For a cache that fits."""
    CHOSEN = "chosen"
    UNPACKING = "unpacking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One moment of it."""

    event: Event
    seconds: float
    """Since the call began."""
    bytes_done: int | None = None
    """Of the packed bytes; None where nobody counts."""
    bytes_of: int | None = None
    """All of them; None where it is not known yet."""
    key: str | None = None
    """Of the cache; None before it is known."""
    why: str | None = None
    """What is waited for: "the engine (GET /health answered 503)"; None where nothing is."""


Progress = Callable[[Step], None]
"""Told each step; it may be called very often, and decides itself what to show."""


def nobody(_: Step) -> None:
    """For whoever does not want to know."""


class Told:
    """Tells somebody the steps of one call."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._began_s = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._began_s

    def again(self) -> "Told":
        """One that tells the same somebody, and counts from now."""
        return Told(self._progress)

    def tell(
        self,
        event: Event,
        *,
        done: int | None = None,
        of: int | None = None,
        key: str | None = None,
        why: str | None = None,
    ) -> None:
        """One step."""
        self._progress(
            Step(
                event=event,
                seconds=self.seconds,
                bytes_done=done,
                bytes_of=of,
                key=key,
                why=why,
            )
        )
