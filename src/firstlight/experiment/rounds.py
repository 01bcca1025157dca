"""
The rounds of a run as they are read back: what the ledger says, and what the folder shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.core.effects import Effect
from firstlight.core.starts import Outcome, Start
from firstlight.experiment.ledger import RoundEntry
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.experiment.serving import Served


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
    """None where it was not asked."""
    order: int
    """Its place in time among all rounds of the run, from 1."""
    parts: bool = True
    """Whether it was explained with the parts of its phases."""

    @property
    def total_ns(self) -> int | None:
        """From the start of its process to the answer; None where one end is not proven."""
        return self.start.total.timeline.length_ns if self.start.total else None

    @property
    def counts(self) -> bool:
        """Whether it is a result: no fill, and it came up, with both ends proven."""
        return (
            self.slot.purpose is Purpose.RESULT
            and self.entry.is_ready
            and self.start.outcome is Outcome.READY
            and self.start.total is not None
        )


def of(rounds: Sequence[Round], step: int, scenario: str) -> tuple[Round, ...]:
    """All tries at a step in a scenario, in order of time."""
    return tuple(r for r in rounds if (r.slot.step, r.slot.scenario) == (step, scenario))


def results(rounds: Sequence[Round], step: int, scenario: str) -> tuple[Round, ...]:
    """Those that count."""
    return tuple(r for r in of(rounds, step, scenario) if r.counts)
