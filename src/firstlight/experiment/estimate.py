"""
How many hours a plan takes and what they cost, said before anything is run.

Before the first round only whoever wrote the plan can say how long one takes; afterwards the
median of what was run says it, of each step for itself where it was run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from firstlight.core.units import NS_PER_S
from firstlight.experiment.ledger import RoundEntry
from firstlight.experiment.plan import Plan, Price
from firstlight.experiment.schedule import Slot

_S_PER_HOUR = 3600


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
    def hours(self) -> float | None:
        return None if self.seconds is None else self.seconds / _S_PER_HOUR

    @property
    def cost(self) -> float | None:
        """None where the hours or the price are not known."""
        if self.price is None or self.hours is None:
            return None
        return self.hours * self.price.per_hour


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
    taken: dict[int, list[int]] = {}
    for entry in done:
        length_ns = entry.ended_ns - entry.begun_ns
        taken.setdefault(by_slot[entry.slot].step, []).append(length_ns)
    seconds, says = _seconds(left, {n: median(lengths) for n, lengths in taken.items()}, plan)
    return Estimate(
        rounds=len(left),
        fills=sum(1 for slot in left if not slot.number),
        seconds=seconds,
        price=plan.price,
        says=says,
    )


def _seconds(
    left: Sequence[Slot], known_ns: Mapping[int, float], plan: Plan
) -> tuple[float | None, str]:
    if known_ns:
        any_ns = median(known_ns.values())
        total_ns = sum(known_ns.get(slot.step, any_ns) for slot in left)
        return total_ns / NS_PER_S, "by the median of the rounds that were run"
    if plan.expect_s is not None:
        return plan.expect_s * len(left), f"by the plan's {plan.expect_s:g} s a round"
    return None, "nobody knows yet how long a round takes; the plan may say it as expect_s"
