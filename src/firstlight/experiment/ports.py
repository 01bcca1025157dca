"""
What carrying out a plan needs from the world.

Each port is as small as its use here; edges fit them without importing them, and the wiring
introduces the two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from firstlight.experiment.ledger import PlanEntry, RoundEntry, StoppedEntry
from firstlight.experiment.schedule import Slot
from firstlight.experiment.step import Step

Progress = Callable[[str], None]
"""Told, in a few words, what is being done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came of one try of a round; its folder holds the rest."""

    folder: str
    """Below the run's folder."""
    outcome: str
    """ready or failed."""
    cause: str | None
    """Why it failed, in a sentence; None where it did not."""
    effect: str
    effect_says: str
    cache: str
    serving: str | None
    """What it answered, as a digest; None where it was not asked, or did not answer."""
    unanswered: str | None
    """Why it did not answer; None where it did, or was not asked."""
    begun_ns: int
    """Unix nanoseconds."""
    ended_ns: int
    total_ns: int | None = None
    """How long the start took, for whoever watches; None where one end is not proven."""


class Diary(Protocol):
    """Where entries are written; each is on disk when the call returns."""

    def append(self, entry: PlanEntry | RoundEntry | StoppedEntry) -> None: ...


class Rounds(Protocol):
    """Carries out rounds on some substrate."""

    def left_behind(self, slot: Slot, step: Step, known: frozenset[str]) -> Taken | None:
        """
        A try of this round that was measured to its end and is not in the ledger.

        What was not measured to its end is put aside, so that the next try has its folder.

        Args:
            slot: the round.
            step: its step.
            known: the folders that the ledger has.

        Raises:
            BadInput: what is recorded of it is damaged.
            OutsideFailed: what was not measured to its end cannot be put aside.
        """
        ...

    def carried_out(self, slot: Slot, step: Step, progress: Progress) -> Taken:
        """
        One try, from empty layers to the end of the engine.

        Args:
            slot: the round.
            step: its step.
            progress: told what is being done.

        Raises:
            OutsideFailed: it cannot be begun, or what comes of it cannot be written.
        """
        ...


UnixClock = Callable[[], int]
