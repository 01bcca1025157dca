"""
Cold against warm: what went away, what came back, and what is left over.

That is arithmetic on two medians, not a verdict. A restart on a node that is there needs no
node and no image, and that is what it saves; weights and compilation come back each time, so
their seconds are told on both sides. Whatever else is not the same is the remainder, and the
parts add up to the difference.
"""

from dataclasses import dataclass
from statistics import median

from firstlight.compare.sets import TOTAL, RoundSet
from firstlight.core.phases import Phase

NODE = (Phase.NODE_PROVISIONING, Phase.SCHEDULING)
"""The wait for a node, and for the place on it."""
IMAGE = (Phase.IMAGE_PULL,)
AGAIN = (Phase.WEIGHT_LOAD, Phase.ENGINE_INIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some phases on both sides."""

    name: str
    phases: tuple[str, ...]
    first_ns: int
    second_ns: int

    @property
    def away_ns(self) -> int:
        """What the second start does not need of it."""
        return self.first_ns - self.second_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """The difference of two totals, taken apart."""

    first: str
    second: str
    first_ns: int
    second_ns: int
    away: tuple[Part, ...]
    again: tuple[Part, ...]
    """What came back; how its lengths differ is part of the remainder."""
    uncertainty_ns: int

    @property
    def difference_ns(self) -> int:
        return self.first_ns - self.second_ns

    @property
    def remainder_ns(self) -> int:
        """What the parts that went away leave of the difference."""
        return self.difference_ns - sum(part.away_ns for part in self.away)


def reconcile(first: RoundSet, second: RoundSet) -> Reconciliation | None:
    """
    Where the difference is.

    Args:
        first: cold starts.
        second: warm ones.

    Returns:
        None where a side has no round that counts.
    """
    if not first.counted or not second.counted:
        return None
    return Reconciliation(
        first=first.name,
        second=second.name,
        first_ns=_median(first, TOTAL),
        second_ns=_median(second, TOTAL),
        away=(
            _part("the node", NODE, first, second),
            _part("the image", IMAGE, first, second),
        ),
        again=tuple(_part(phase.value, (phase,), first, second) for phase in AGAIN),
        uncertainty_ns=max(first.uncertainty_ns(TOTAL), second.uncertainty_ns(TOTAL)),
    )


def _part(name: str, phases: tuple[Phase, ...], first: RoundSet, second: RoundSet) -> Part:
    one, two = (sum(_median(side, phase) for phase in phases) for side in (first, second))
    return Part(name=name, phases=tuple(phases), first_ns=one, second_ns=two)


def _median(side: RoundSet, name: str) -> int:
    return round(median(side.lengths_ns(name)))
