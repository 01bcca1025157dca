"""
A round of a plan, read back from its folder: the start, what it answered, what it proves.
"""

from dataclasses import dataclass
from pathlib import Path

from firstlight.core.effects import Effect, EffectState
from firstlight.core.records import SERVING, WAKE
from firstlight.core.scenarios import WAKE as WAKE_UP
from firstlight.core.starts import Outcome, Start
from firstlight.edges.run_folder import Moments, RunFolder
from firstlight.experiment.ports import Taken
from firstlight.experiment.rounds import NOT_COLD, is_not_cold
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.experiment.serving import Served, read_served
from firstlight.experiment.step import Step
from firstlight.experiment.waking import Woken, as_start, read_woken, why_not
from firstlight.techniques.effect import effect

OWN_HAS_NO_SIGN = "a change of one's own has no sign"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """One try, from its folder."""

    start: Start
    """The start of the engine, or its wake-up."""
    served: Served | None
    """None where it gave a token and was asked no more."""
    cause: str | None
    """Why it failed; None where it did not."""
    woken: Woken | None = None
    """What is recorded of its wake-up; None where it is none."""


def with_answers(
    run: RunFolder,
    folder: Path,
    slot: Slot,
    start: Start,
    *,
    cause: str | None,
    silent: Served | None,
) -> ReadBack:
    """
    A start with what its engine answered.

    Args:
        run: the run.
        folder: of the round.
        slot: which it is.
        start: as it was explained.
        cause: why it failed; None where it came up.
        silent: of an engine that is ready and gave no token; None where it gave one.

    Raises:
        BadInput: an answer is damaged.
    """
    served, wake = folder / SERVING.file, folder / WAKE.file
    woken: Woken | None = None
    if is_woken(slot) and cause is None:
        woken = read_woken(str(wake), run.read(wake)) if wake.exists() else None
        cause = why_not(start, woken)
        start = as_start(start, woken, str(wake))
    return ReadBack(
        start=start,
        served=read_served(str(served), run.read(served)) if served.exists() else silent,
        cause=cause,
        woken=woken,
    )


def taken(found: ReadBack, folder: str, slot: Slot, step: Step, moments: Moments) -> Taken:
    """
    What the ledger is told of a try.

    Args:
        found: the try.
        folder: its name in the run.
        slot: which round it is.
        step: of which step.
        moments: when it began and ended, Unix nanoseconds.
    """
    shown = shown_effect(step, slot, found.start)
    return Taken(
        folder=folder,
        outcome=(Outcome.READY if found.cause is None else Outcome.FAILED).value,
        cause=found.cause,
        effect=shown.state.value,
        effect_says=shown.says,
        cache=found.start.compile_cache.verdict.value,
        serving=found.served.digest if found.served else None,
        unanswered=found.served.problem if found.served else None,
        begun_ns=moments[0],
        ended_ns=moments[1],
        total_ns=found.start.total.timeline.length_ns if found.start.total else None,
    )


def is_woken(slot: Slot) -> bool:
    """Whether a round is a wake-up; its fill is a start like any other."""
    return slot.scenario == WAKE_UP and slot.purpose is Purpose.RESULT


def shown_effect(step: Step, slot: Slot, start: Start) -> Effect:
    """Whether a start shows the technique of its step at work."""
    if is_not_cold(slot, step, start):
        return Effect(technique=step.name, state=EffectState.UNKNOWN, says=NOT_COLD)
    if step.card is None:
        says = OWN_HAS_NO_SIGN if step.number else "the baseline is no technique"
        return Effect(technique=step.name, state=EffectState.UNKNOWN, says=says)
    if slot.purpose is Purpose.FILL:
        says = "it fills what the rounds after it read; those show whether that works"
        return Effect(technique=step.name, state=EffectState.UNKNOWN, says=says)
    return effect(step.card, start.signs)
