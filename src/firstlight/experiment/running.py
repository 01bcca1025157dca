"""
Carrying out a plan: ask what is next, do it, write it down, ask again.

All that is known is in the ledger, so the loop begins the same way whether anything was run
before or not. What was measured to its end and not written down, because somebody was killed
in between, is written down and not repeated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firstlight.core.units import seconds
from firstlight.experiment.ledger import Ledger, RoundEntry, StoppedEntry
from firstlight.experiment.next_slot import Exhausted, Next, next_slot
from firstlight.experiment.ports import Diary, Progress, Rounds, Taken, UnixClock
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.experiment.step import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What is carried out, and with what."""

    steps: Sequence[Step]
    slots: Sequence[Slot]
    attempts: int
    skips: bool
    """Whether a step that keeps failing is left for the end."""
    diary: Diary
    rounds: Rounds
    now_ns: UnixClock
    progress: Progress
    finished: Progress
    """Told a line for each round that is done."""


def carry_out(course: Course, ledger: Ledger) -> Ledger:
    """
    Run what is left of a plan.

    Args:
        course: what, and with what.
        ledger: what was run before.

    Returns:
        The ledger at the end; `stopped` says why that came before the plan's.

    Raises:
        OutsideFailed: something cannot be written; all that was written before is whole.
    """
    while True:
        upcoming = next_slot(course.slots, ledger, attempts=course.attempts, skips=course.skips)
        match upcoming:
            case None:
                return ledger
            case Exhausted():
                return _written(course, ledger, _stop(course, upcoming))
            case Next():
                ledger = _written(course, ledger, _one(course, ledger, upcoming))


def _one(course: Course, ledger: Ledger, upcoming: Next) -> RoundEntry:
    """One try of one round."""
    slot, step = upcoming.slot, course.steps[upcoming.slot.step]
    known = frozenset(entry.folder for entry in (*ledger.rounds, *ledger.aside))
    taken = course.rounds.left_behind(slot, step, known)
    if taken is None:
        what = "fill" if slot.purpose is Purpose.FILL else f"round {slot.number}"
        again = f", try {upcoming.attempt}" if upcoming.attempt > 1 else ""
        which = (
            f"{upcoming.place} of {len(course.slots)}, {step.name}, {slot.scenario} {what}{again}"
        )
        taken = course.rounds.carried_out(
            slot, step, lambda words: course.progress(f"{which}: {words}")
        )
    entry = _entry(taken, slot, upcoming.attempt)
    course.finished(_said(entry, taken, step, slot))
    return entry


def _entry(taken: Taken, slot: Slot, attempt: int) -> RoundEntry:
    return RoundEntry(
        slot=slot.id,
        attempt=attempt,
        folder=taken.folder,
        outcome=taken.outcome,
        cause=taken.cause,
        effect=taken.effect,
        effect_says=taken.effect_says,
        cache=taken.cache,
        serving=taken.serving,
        begun_ns=taken.begun_ns,
        ended_ns=taken.ended_ns,
    )


def _stop(course: Course, exhausted: Exhausted) -> StoppedEntry:
    given_up = (exhausted, *exhausted.beside)
    return StoppedEntry(
        slot=exhausted.slot.id,
        why="; ".join(_why(course, one) for one in given_up),
        at_ns=course.now_ns(),
    )


def _why(course: Course, exhausted: Exhausted) -> str:
    slot = exhausted.slot
    times = "once" if exhausted.attempts == 1 else f"{exhausted.attempts} times"
    return f"{course.steps[slot.step].name} ({slot.id}) failed {times}: {exhausted.cause}"


def _written(course: Course, ledger: Ledger, entry: RoundEntry | StoppedEntry) -> Ledger:
    course.diary.append(entry)
    return replace(ledger, entries=(*ledger.entries, entry))


def _said(entry: RoundEntry, taken: Taken, step: Step, slot: Slot) -> str:
    which = "fill" if slot.purpose is Purpose.FILL else str(slot.number)
    head = f"{step.name}, {slot.scenario} {which}"
    if not entry.is_ready:
        return f"{head}: failed, {entry.cause}"
    ready = "ready" if taken.total_ns is None else f"ready after {seconds(taken.total_ns):.2f} s"
    told = [f"{head}: {ready}", f"compile cache {entry.cache}"]
    if step.technique is not None and step.number and slot.purpose is Purpose.RESULT:
        told.append(f"{step.technique} {entry.effect}")
    if taken.unanswered is not None:
        told.append(f"not answered: {taken.unanswered}")
    return ", ".join(told)
