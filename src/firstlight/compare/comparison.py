"""
The comparison of two sets of rounds, in total and phase by phase.

A verdict is given for what was fixed beforehand only: the total, and the phases that the
change claims to move. All other phases are asked together, and what stands after Holm is said
to have moved as well. A phase that no round of one side tells has no length there, so there is
no difference and no verdict. Where the sets may not be compared there are still numbers, because
one wants to see where they differ, and no verdict but that one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firstlight.compare.comparability import Comparable, comparable
from firstlight.compare.drift import Drift, drift
from firstlight.compare.holm import holm, shares
from firstlight.compare.judging import judged
from firstlight.compare.notes import notes
from firstlight.compare.sets import FINEST_NS, TOTAL, RoundSet, told_ns
from firstlight.compare.statistics import Difference, difference, outliers
from firstlight.compare.verdict import LEVEL, Verdict
from firstlight.core.intervals import Spread, spread
from firstlight.core.phases import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One length, on both sides."""

    name: str
    """`total`, or a phase, a child after a slash."""
    claimed: bool
    """Whether it was fixed beforehand."""
    first: Spread | None
    """Of the rounds that tell it; None where none does."""
    second: Spread | None
    found: Difference | None
    """None with too few rounds that tell it."""
    adjusted_p: float | None
    """Of a phase after Holm, over all phases; None with too few rounds that tell it."""
    resolution_ns: int
    verdict: Verdict | None
    """None of a phase that was not fixed beforehand."""
    also_moved: bool = False
    """Of such a phase: whether it stands after Holm, and above the resolution."""

    @property
    def is_seen(self) -> bool:
        """Whether both sides tell it."""
        return self.first is not None and self.second is not None

    @property
    def change_ns(self) -> int | None:
        """Of the medians, the second less the first; None where one side does not tell it."""
        if self.first is None or self.second is None:
            return None
        return self.second.median_ns - self.first.median_ns

    @property
    def interval_ns(self) -> tuple[int, int] | None:
        """
        What the change lies between; None with too few rounds.

        Where the rank test leaves zero possible, zero is in it: an interval that left it out
        would say the opposite of the verdict beside it.
        """
        if self.found is None or self.adjusted_p is None:
            return None
        low, high = self.found.low_ns, self.found.high_ns
        if self.adjusted_p > LEVEL:
            return min(low, 0), max(high, 0)
        return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The whole answer."""

    first: RoundSet
    second: RoundSet
    comparable: Comparable
    metrics: tuple[Metric, ...]
    """The total first, then claimed phases, then the others; empty where a side has no round."""
    outlying: tuple[str, ...]
    """Rounds whose total lies far out, by name."""
    drift: Drift | None
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """On the total."""
        if self.comparable.against:
            return Verdict.NOT_COMPARABLE
        total = next((one for one in self.metrics if one.name == TOTAL), None)
        return total.verdict if total and total.verdict else Verdict.TOO_FEW


def compare(
    first: RoundSet,
    second: RoundSet,
    *,
    declared: Iterable[str] = (),
    claimed: Iterable[str] = (),
    varying: Iterable[str] = (),
) -> Comparison:
    """
    Hold the second set against the first.

    Args:
        first: the rounds before the change.
        second: those after it.
        declared: names of fingerprints that the change may change, `*` for any letters.
        claimed: the phases that the change is said to move, a child after a slash.
        varying: names of fingerprints that may vary within a set.
    """
    may = comparable(first, second, declared=declared, varying=varying)
    claims = tuple(dict.fromkeys(claimed))
    metrics: tuple[Metric, ...] = ()
    if first.counted and second.counted:
        metrics = _metrics(first, second, claims, is_fair=not may.against)
    return Comparison(
        first=first,
        second=second,
        comparable=may,
        metrics=metrics,
        outlying=tuple(name for side in (first, second) for name in _outlying(side)),
        drift=_drift(first, second),
        notes=notes(first, second, may, claims, _seen(metrics)),
    )


def _seen(metrics: Sequence[Metric]) -> frozenset[str] | None:
    """The phases in which the rank test sees a difference; None with too few rounds for it."""
    if any(one.name == TOTAL and one.found is None for one in metrics):
        return None
    return frozenset(
        one.name for one in metrics if one.adjusted_p is not None and one.adjusted_p <= LEVEL
    )


def _metrics(
    first: RoundSet, second: RoundSet, claims: Sequence[str], *, is_fair: bool
) -> tuple[Metric, ...]:
    # A claimed child does not answer for its phase: the phase is one of the others.
    others = [phase.value for phase in Phase if phase.value not in claims]
    others = [
        name for name in others if any(first.lengths_ns(name)) or any(second.lengths_ns(name))
    ]
    told = {name: told_ns(first, second, name) for name in (TOTAL, *claims, *others)}
    # A question that nobody can answer takes no part of the error from the others.
    asked_claims = [name for name in claims if all(told[name])]
    asked = [*asked_claims, *(name for name in others if all(told[name]))]
    of_claimed, of_other = shares(len(asked_claims), len(asked) - len(asked_claims))
    weights = [of_claimed if name in asked_claims else of_other for name in asked]
    found = {
        name: difference(*told[name], level=LEVEL * weight)
        for name, weight in zip(asked, weights, strict=True)
    }
    adjusted = holm([one.p if one else 1.0 for one in found.values()], weights)
    p = dict(zip(asked, adjusted, strict=True))
    found[TOTAL] = total = difference(*told[TOTAL])
    p[TOTAL] = total.p if total else 1.0
    return tuple(
        _metric(
            name,
            told[name],
            found.get(name),
            p=p.get(name, 1.0),
            resolution_ns=max(FINEST_NS, *(side.uncertainty_ns(name) for side in (first, second))),
            claimed=name in (TOTAL, *claims),
            is_fair=is_fair,
        )
        for name in told
    )


def _metric(
    name: str,
    told: tuple[list[int], list[int]],
    found: Difference | None,
    *,
    p: float,
    resolution_ns: int,
    claimed: bool,
    is_fair: bool,
) -> Metric:
    said = judged(found, p=p, resolution_ns=resolution_ns) if is_fair else Verdict.NOT_COMPARABLE
    if not all(told):
        said = Verdict.NOT_SEEN
    return Metric(
        name=name,
        claimed=claimed,
        first=spread(told[0]) if told[0] else None,
        second=spread(told[1]) if told[1] else None,
        found=found,
        adjusted_p=p if found else None,
        resolution_ns=resolution_ns,
        verdict=said if claimed else None,
        also_moved=not claimed and said in (Verdict.FASTER, Verdict.SLOWER),
    )


def _outlying(side: RoundSet) -> list[str]:
    flags = outliers(side.lengths_ns(TOTAL))
    return [one.name for one, is_far in zip(side.counted, flags, strict=True) if is_far]


def _drift(first: RoundSet, second: RoundSet) -> Drift | None:
    sets = [
        [(one.order, one.length_ns(TOTAL)) for one in side.counted if one.order is not None]
        for side in (first, second)
    ]
    return drift(sets)
