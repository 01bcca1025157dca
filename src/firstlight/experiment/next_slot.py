"""
What is to be run next, from the plan and what was run: the whole of resuming.

A round that failed is tried again, as often as the plan says; then the plan stops with what
is known. Whoever resumes a plan that stopped has changed something, so the tries begin anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.experiment.ledger import Ledger, RoundEntry, StoppedEntry
from firstlight.experiment.schedule import Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """The round to run."""

    slot: Slot
    attempt: int
    """From 1, over all that was ever tried of it."""
    place: int
    """Which of all rounds it is, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhausted:
    """A round that failed as often as the plan allows."""

    slot: Slot
    attempts: int
    cause: str
    """Of the last try."""


def next_slot(
    slots: Sequence[Slot], ledger: Ledger, *, attempts: int, anew: bool
) -> Next | Exhausted | None:
    """
    What is to be done now; None where all rounds are done.

    Args:
        slots: the schedule.
        ledger: what was run.
        attempts: how often a round is tried.
        anew: whether tries before the last stop count no more.
    """
    for place, slot in enumerate(slots, start=1):
        tried = [
            entry
            for entry in ledger.entries
            if isinstance(entry, RoundEntry) and entry.slot == slot.id
        ]
        if any(entry.is_ready for entry in tried):
            continue
        counted = len(_since_stop(ledger, slot.id)) if anew else len(tried)
        if counted >= attempts:
            return Exhausted(slot=slot, attempts=counted, cause=tried[-1].cause or "")
        return Next(slot=slot, attempt=len(tried) + 1, place=place)
    return None


def _since_stop(ledger: Ledger, slot: str) -> list[RoundEntry]:
    found: list[RoundEntry] = []
    for entry in ledger.entries:
        if isinstance(entry, StoppedEntry):
            found.clear()
        elif entry.slot == slot:
            found.append(entry)
    return found
