"""
The rounds of a run as they are read back: what the ledger says, and what the folder shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.core.effects import Effect
from firstlight.core.scenarios import COLD
from firstlight.core.starts import CacheVerdict, Outcome, Start
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.ledger import RoundEntry
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.experiment.serving import Served
from firstlight.experiment.step import Step
from firstlight.experiment.waking import Woken

NOT_COLD = "its compile cache was a hit, so it was no cold start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One try of one round."""

    slot: Slot
    entry: RoundEntry
    start: Start
    """Explained anew from its folder."""
    explained: Mapping[str, Any]
    """The same as the JSON contract of `explain` says it."""
    effect: Effect
    """What it shows of its step's technique."""
    served: Served | None
    """None where it gave a token and was asked no more."""
    order: int
    """Its place in time among all rounds of the run, from 1."""
    parts: bool = True
    """Whether it was explained with the parts of its phases."""
    not_cold: bool = False
    """Whether it was to be cold and found a compile cache: no result of a cold start."""
    woken: Woken | None = None
    """What is recorded of its wake-up; None where it is none."""

    @property
    def total_ns(self) -> int | None:
        """From the start of its process to the answer; None where one end is not proven."""
        return self.start.total.timeline.length_ns if self.start.total else None

    @property
    def counts(self) -> bool:
        """Whether it is a result: no fill, what it was to be, and up, with both ends proven."""
        return (
            self.slot.purpose is Purpose.RESULT
            and not self.not_cold
            and self.entry.is_ready
            and self.start.outcome is Outcome.READY
            and self.start.total is not None
        )


def is_not_cold(slot: Slot, step: Step, start: Start) -> bool:
    """
    Whether a round was to find nothing and found a compile cache.

    On a host, where all that a plan knows of is emptied; in a cluster a node that was not there
    before is cold, whatever its image brings.
    """
    return (
        slot.scenario == COLD
        and isinstance(step.setup, CommandSetup)
        and not step.brings_cache
        and start.compile_cache.verdict is CacheVerdict.HIT
    )


def of(rounds: Sequence[Round], step: int, scenario: str) -> tuple[Round, ...]:
    """All tries at a step in a scenario, in order of time."""
    return tuple(r for r in rounds if (r.slot.step, r.slot.scenario) == (step, scenario))


def results(rounds: Sequence[Round], step: int, scenario: str) -> tuple[Round, ...]:
    """Those that count."""
    return tuple(r for r in of(rounds, step, scenario) if r.counts)
