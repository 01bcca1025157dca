"""
The order of the rounds.

In each scenario the rounds that fill a cache come first and are set apart. Then the steps
take turns, round by round, forwards and backwards in turn: neighbours run next to each other,
so a machine that grows slow in the middle of the night slows all of them, and none of them is
always the first. A cold round finds nothing and fills for itself, so there a fill has no sense;
nor has one where a step keeps nothing and reads what was read before it. The first step of a
scenario has one in any case: the files that all engines read are then in memory for its rounds.
Wake-ups are of those steps alone whose engine can be put to sleep.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from firstlight.core.errors import BadInput
from firstlight.core.scenarios import COLD, WAKE
from firstlight.experiment.command_difference import WORDS, WRAPPER, CommandDifference
from firstlight.experiment.command_words import MODEL
from firstlight.experiment.kept_paths import keeps_something
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.experiment.plan import Plan
from firstlight.experiment.step import Step

_READ_BY_NOBODY = (WORDS, WRAPPER, MODEL)
"""What names files that no step before has read, where it differs."""
_DEV_MODE = "VLLM_SERVER_DEV_MODE"


class Purpose(StrEnum):
    """What a round is for."""

    FILL = "fill"
    """It writes what later ones read, and never counts as a result."""
    RESULT = "result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One round that is to be run; it may take several tries."""

    step: int
    scenario: str
    purpose: Purpose
    number: int
    """From 1, among the results of its step and scenario; 0 for a fill."""

    @property
    def id(self) -> str:
        """`warm/2/fill`, `warm/2/3`: scenario, step, and which of its rounds."""
        which = "fill" if self.purpose is Purpose.FILL else str(self.number)
        return f"{self.scenario}/{self.step}/{which}"

    @property
    def empties_node(self) -> bool:
        """Whether the node's disk must hold nothing before it."""
        return self.purpose is Purpose.FILL or self.scenario == COLD

    def label(self, step: Step) -> str:
        """The name of the folder that holds the rounds of its kind."""
        fill = "-fill" if self.purpose is Purpose.FILL else ""
        return f"{step.number:02d}-{step.name}-{self.scenario}{fill}"


def schedule(
    plan: Plan, steps: Sequence[Step], *, every_fill: bool | None = None
) -> tuple[Slot, ...]:
    """
    Every round of a plan, in the order in which they are to be run.

    Args:
        plan: the plan.
        steps: its steps.
        every_fill: whether each step has a fill; None for what the plan says.

    Raises:
        BadInput: it wants wake-ups, and none of its engines can be put to sleep.
    """
    slots: list[Slot] = []
    if every_fill is None:
        every_fill = plan.fills == "every"
    for scenario in plan.scenarios:
        numbers = [step.number for step in steps if scenario != WAKE or sleeps(step)]
        if not numbers:
            raise BadInput(
                f"no step can be put to sleep and woken: none has {_DEV_MODE}=1",
                remedy="leave the scenario wake out, or put sleep-wake, or an engine that can "
                "sleep, into a step or the base",
            )
        if scenario != COLD:
            filled = [n for n in numbers if every_fill or n == numbers[0] or is_filled(steps[n])]
            slots += [_slot(number, scenario, Purpose.FILL, 0) for number in filled]
        for round_ in range(1, plan.rounds + 1):
            turn = numbers if round_ % 2 else numbers[::-1]
            slots += [_slot(number, scenario, Purpose.RESULT, round_) for number in turn]
    return tuple(slots)


def is_filled(step: Step) -> bool:
    """Whether a step keeps something from round to round, or is the first to read something."""
    if isinstance(step.setup, ObjectSetup) or keeps_something(step):
        return True
    return any(
        isinstance(d, CommandDifference) and d.name in _READ_BY_NOBODY for d in step.difference
    )


def sleeps(step: Step) -> bool:
    """Whether the engine of a step takes the calls to sleep and to wake up."""
    return step.setup.environment.get(_DEV_MODE) == "1"


def _slot(step: int, scenario: str, purpose: Purpose, number: int) -> Slot:
    return Slot(step=step, scenario=scenario, purpose=purpose, number=number)
