"""
What is to be run next, from the plan and what was run: the whole of resuming.

A round that failed is tried again, as often as the plan says; then the plan stops with what
is known, or its step is given up in that scenario and the plan stops when all else is done.
Whoever resumes a plan that stopped has changed something, so the tries begin anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firstlight.experiment.ledger import Ledger, tries
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
    beside: tuple["Exhausted", ...] = ()
    """The others, where more than one step is given up."""


def next_slot(
    slots: Sequence[Slot], ledger: Ledger, *, attempts: int, skips: bool = False
) -> Next | Exhausted | None:
    """
    What is to be done now; None where all rounds are done.

    Args:
        slots: the schedule.
        ledger: what was run.
        attempts: how often a round is tried; tries before the last stop count no more.
        skips: whether what can be run without a step that keeps failing is run first.
    """
    rounds, since_stop, aside = ledger.rounds, ledger.since_stop, ledger.aside
    given_up: dict[tuple[int, str], Exhausted] = {}
    for place, slot in enumerate(slots, start=1):
        tried = tries(rounds, slot.id)
        if any(entry.is_ready for entry in tried):
            continue
        if (slot.step, slot.scenario) in given_up:
            continue
        counted = len(tries(since_stop, slot.id))
        if counted < attempts:
            return Next(slot=slot, attempt=len(tried) + len(tries(aside, slot.id)) + 1, place=place)
        over = Exhausted(slot=slot, attempts=counted, cause=tried[-1].cause or "")
        if not skips:
            return over
        given_up[slot.step, slot.scenario] = over
    if not given_up:
        return None
    first, *others = given_up.values()
    return replace(first, beside=tuple(others))
