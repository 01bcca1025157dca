"""
What can be said of a plan's answer before anything is run.

A night is long, and some plans cannot answer whatever comes of it: that is said before, and
again when it begins.
"""

from collections.abc import Iterator, Sequence

from firstlight.compare.verdict import FEWEST, Verdict
from firstlight.core.scenarios import COLD
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.command_words import read_command
from firstlight.experiment.kept_paths import is_within, kept_outside
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.experiment.plan import Plan
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.experiment.step import Step

_FETCHED_TO = (
    *("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_XET_CACHE", "TRANSFORMERS_CACHE"),
    *("XDG_CACHE_HOME", "VLLM_ASSETS_CACHE", "MODELSCOPE_CACHE", "--download-dir"),
)
"""Where an engine puts what it fetches, and looks for it."""


def said_beforehand(plan: Plan, steps: Sequence[Step], slots: Sequence[Slot]) -> tuple[str, ...]:
    """Sentences about what a plan will not show, and about what it leaves out."""
    return (
        *_answers(plan, steps),
        *_caches(steps),
        *_fetched(plan, steps),
        *_fills(plan, steps, slots),
    )


def _answers(plan: Plan, steps: Sequence[Step]) -> Iterator[str]:
    if len(steps) == 1:
        yield "no step is in it: it measures the base alone, and there is nothing to compare"
    elif plan.rounds < FEWEST:
        yield (
            f"every verdict will be: {Verdict.TOO_FEW} ({plan.rounds} a step, and {FEWEST} "
            "are the fewest from which anything can be concluded); more can be added afterwards"
        )


def _caches(steps: Sequence[Step]) -> Iterator[str]:
    for one in kept_outside(steps):
        yield (
            f"at {steps[one.step].name} {one}: neither ${{container}} nor ${{node}}, so it is "
            "never emptied, and rounds may find there what something else has left"
        )


def _fetched(plan: Plan, steps: Sequence[Step]) -> Iterator[str]:
    """Weights that an engine fetched once and finds again, where cold rounds are wanted."""
    found: dict[tuple[str, str], str] = {}
    for step in steps if COLD in plan.scenarios else ():
        if isinstance(step.setup, CommandSetup):
            said = {**step.setup.environment, **read_command(step.setup.command).options}
            for name in _FETCHED_TO:
                path = said.get(name)
                if path is not None and not is_within(path):
                    found.setdefault((name, path), step.name)
    for (name, path), step_name in found.items():
        yield (
            f"at {step_name} {name} is {path}: it is never emptied, so what was fetched there "
            "once is not fetched again in a cold round"
        )


def _fills(plan: Plan, steps: Sequence[Step], slots: Sequence[Slot]) -> Iterator[str]:
    if isinstance(steps[0].setup, ObjectSetup) or not set(plan.scenarios) - {COLD}:
        return
    filled = {slot.step for slot in slots if slot.purpose is Purpose.FILL}
    others = {slot.step for slot in slots if slot.scenario != COLD} - filled
    if without := [step.name for step in steps if step.number in others]:
        yield (
            f"no fill of {', '.join(without)}: nothing of it is kept from round to round, and its "
            "files were read by a fill before (fills: every runs them all the same)"
        )
