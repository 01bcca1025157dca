"""
How many hours a plan takes and what they cost, said before anything is run.

Before the first round only whoever wrote the plan can say how long one takes; afterwards the
median of what was run says it: of rounds of the same step, scenario and purpose where there are
some, for one that fills a cache takes longer than one that finds it; else of those most like it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from firstlight.core.units import NS_PER_S
from firstlight.experiment.ledger import RoundEntry
from firstlight.experiment.plan import Plan, Price
from firstlight.experiment.schedule import Slot

_S_PER_HOUR = 3600
_S_SAID = 90
"""Shorter is said in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What is still to be run."""

    rounds: int
    fills: int
    """How many of them fill a cache."""
    seconds: float | None
    """None where nobody knows how long a round takes."""
    price: Price | None
    says: str
    """Where the seconds are from."""

    @property
    def words(self) -> str:
        """Rounds, hours and cost in a sentence."""
        if not self.rounds:
            return "nothing is left to run"
        words = f"{self.rounds} round{'' if self.rounds == 1 else 's'} to run"
        if self.fills:
            words += f", {self.fills} of them fills"
        if self.hours is None or self.seconds is None:
            return f"{words}; {self.says}"
        if self.hours >= 1:
            words += f", about {self.hours:.1f} h"
        else:
            words += f", about {_short(self.seconds)}"
        if self.cost is not None and self.price is not None:
            words += f", {self.cost:.2f} {self.price.currency}"
        return f"{words} ({self.says})"

    @property
    def hours(self) -> float | None:
        return None if self.seconds is None else self.seconds / _S_PER_HOUR

    @property
    def cost(self) -> float | None:
        """None where the hours or the price are not known."""
        if self.price is None or self.hours is None:
            return None
        return self.hours * self.price.per_hour


def _short(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= _S_SAID else f"{seconds:.0f} s"


def estimate(plan: Plan, slots: Sequence[Slot], rounds: Sequence[RoundEntry] = ()) -> Estimate:
    """
    Hours and cost of what is left.

    Args:
        plan: the plan.
        slots: its schedule.
        rounds: what was run of it.
    """
    by_slot = {slot.id: slot for slot in slots}
    done = [entry for entry in rounds if entry.is_ready and entry.slot in by_slot]
    left = [slot for slot in slots if slot.id not in {entry.slot for entry in done}]
    seconds, says = _seconds(left, [(by_slot[entry.slot], entry) for entry in done], plan)
    return Estimate(
        rounds=len(left),
        fills=sum(1 for slot in left if not slot.number),
        seconds=seconds,
        price=plan.price,
        says=says,
    )


def _seconds(
    left: Sequence[Slot], done: Sequence[tuple[Slot, RoundEntry]], plan: Plan
) -> tuple[float | None, str]:
    if done:
        known: dict[_Kind, list[int]] = {}
        for slot, entry in done:
            for kind in _kinds(slot):
                known.setdefault(kind, []).append(entry.ended_ns - entry.begun_ns)
        lengths_ns = {kind: median(lengths) for kind, lengths in known.items()}
        each_ns = (next(lengths_ns[k] for k in _kinds(one) if k in lengths_ns) for one in left)
        return sum(each_ns) / NS_PER_S, "by the median of the rounds that were run"
    if plan.expect_s is not None:
        return plan.expect_s * len(left), f"by the plan's {plan.expect_s:g} s a round"
    return None, "nobody knows yet how long a round takes; the plan may say it as expect_s"


_Kind = tuple[str, ...]


def _kinds(slot: Slot) -> tuple[_Kind, ...]:
    """What a round is one of, the narrowest first; the last is any round."""
    step, scenario, purpose = f"step {slot.step}", slot.scenario, slot.purpose.value
    return (
        (step, scenario, purpose),
        (step, purpose),
        (scenario, purpose),
        (purpose,),
        (step,),
        (),
    )
