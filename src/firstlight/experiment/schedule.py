"""
The order of the rounds.

In each scenario the rounds that fill a cache come first and are set apart. Then the steps
take turns, round by round, forwards and backwards in turn: neighbours run next to each other,
so a machine that grows slow in the middle of the night slows all of them, and none of them is
always the first. A cold round finds nothing and fills for itself, so there a fill has no sense.
Wake-ups are of those steps alone whose engine can be put to sleep.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from firstlight.core.errors import BadInput
from firstlight.experiment.plan import Plan
from firstlight.experiment.step import Step

_DEV_MODE = "VLLM_SERVER_DEV_MODE"
COLD, WARM, WAKE = "cold", "warm", "wake"


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


def schedule(plan: Plan, steps: Sequence[Step]) -> tuple[Slot, ...]:
    """
    Every round of a plan, in the order in which they are to be run.

    Raises:
        BadInput: it wants wake-ups, and none of its engines can be put to sleep.
    """
    slots: list[Slot] = []
    for scenario in plan.scenarios:
        numbers = [step.number for step in steps if scenario != WAKE or sleeps(step)]
        if not numbers:
            raise BadInput(
                f"no step can be put to sleep and woken: none has {_DEV_MODE}=1",
                remedy="leave the scenario wake out, or put sleep-wake, or an engine that can "
                "sleep, into a step or the base",
            )
        if scenario != COLD:
            slots += [_slot(number, scenario, Purpose.FILL, 0) for number in numbers]
        for round_ in range(1, plan.rounds + 1):
            turn = numbers if round_ % 2 else numbers[::-1]
            slots += [_slot(number, scenario, Purpose.RESULT, round_) for number in turn]
    return tuple(slots)


def sleeps(step: Step) -> bool:
    """Whether the engine of a step takes the calls to sleep and to wake up."""
    return step.setup.environment.get(_DEV_MODE) == "1"


def _slot(step: int, scenario: str, purpose: Purpose, number: int) -> Slot:
    return Slot(step=step, scenario=scenario, purpose=purpose, number=number)
