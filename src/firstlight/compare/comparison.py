"""
The comparison of two sets of rounds, in total and phase by phase.

A verdict is given for what was fixed beforehand only: the total, and the phases that the
change claims to move. All other phases are asked together, and what stands after Holm is said
to have moved as well. Where the sets may not be compared there are still numbers, because one
wants to see where they differ, and no verdict but that one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firstlight.compare.comparability import Comparable, Varies, comparable
from firstlight.compare.sets import TOTAL, RoundSet
from firstlight.compare.statistics import (
    FEWEST,
    LEVEL,
    Difference,
    Drift,
    difference,
    drift,
    holm,
    outliers,
    shares,
)
from firstlight.compare.verdict import Verdict, verdict
from firstlight.core.intervals import Spread, spread
from firstlight.core.phases import Phase
from firstlight.core.starts import CacheVerdict
from firstlight.core.units import seconds

_BLOCKS = (
    "one side had run before the other began, so whatever else changed on the machine in between "
    "looks like the change; let them take turns to rule that out"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One length, on both sides."""

    name: str
    """`total`, or a phase, a child after a slash."""
    claimed: bool
    """Whether it was fixed beforehand."""
    first: Spread
    second: Spread
    found: Difference | None
    """None with too few rounds."""
    adjusted_p: float | None
    """Of a phase after Holm, over all phases; None with too few rounds."""
    resolution_ns: int
    verdict: Verdict | None
    """None of a phase that was not fixed beforehand."""
    also_moved: bool = False
    """Of such a phase: whether it stands after Holm, and above the resolution."""

    @property
    def change_ns(self) -> int:
        """Of the medians, the second less the first."""
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
        metrics = _metrics(first, second, claims, may=not may.against)
    return Comparison(
        first=first,
        second=second,
        comparable=may,
        metrics=metrics,
        outlying=tuple(name for side in (first, second) for name in _outlying(side)),
        drift=_drift(first, second),
        notes=tuple(_notes(first, second, may, claims)),
    )


def _metrics(
    first: RoundSet, second: RoundSet, claims: Sequence[str], *, may: bool
) -> tuple[Metric, ...]:
    # A claimed child does not answer for its phase: the phase is one of the others.
    others = [phase.value for phase in Phase if phase.value not in claims]
    others = [
        name for name in others if any(first.lengths_ns(name)) or any(second.lengths_ns(name))
    ]
    of_claimed, of_other = shares(len(claims), len(others))
    weights = [of_claimed] * len(claims) + [of_other] * len(others)
    names = [*claims, *others]
    found = [
        difference(first.lengths_ns(name), second.lengths_ns(name), level=LEVEL * weight)
        for name, weight in zip(names, weights, strict=True)
    ]
    adjusted = holm([one.p if one else 1.0 for one in found], weights)
    total = difference(first.lengths_ns(TOTAL), second.lengths_ns(TOTAL))
    rows = [(TOTAL, total, total.p if total else 1.0), *zip(names, found, adjusted, strict=True)]
    return tuple(
        _metric(name, (first, second), one, p=p, claimed=name in (TOTAL, *claims), may=may)
        for name, one, p in rows
    )


def _metric(
    name: str,
    sides: tuple[RoundSet, RoundSet],
    found: Difference | None,
    *,
    p: float,
    claimed: bool,
    may: bool,
) -> Metric:
    resolution_ns = max(side.uncertainty_ns(name) for side in sides)
    said = verdict(found, p=p, resolution_ns=resolution_ns) if may else Verdict.NOT_COMPARABLE
    return Metric(
        name=name,
        claimed=claimed,
        first=spread(sides[0].lengths_ns(name)),
        second=spread(sides[1].lengths_ns(name)),
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


def _notes(first: RoundSet, second: RoundSet, may: Comparable, claims: Sequence[str]) -> list[str]:
    notes = [
        f"rounds of {side.name} that count: {len(side.counted)}, and {FEWEST} are needed"
        for side in (first, second)
        if len(side.counted) < FEWEST
    ]
    notes += [*_in_blocks(first, second), *_where(first, second, may)]
    notes += [_pooled(one, first.name, second.name) for one in may.varying]
    if may.unknown:
        notes.append(f"told on one side only, so not known to be equal: {', '.join(may.unknown)}")
    verdicts = [_verdicts(side) for side in (first, second)]
    if verdicts[0] != verdicts[1] and all(verdicts):
        notes.append(
            f"the compile cache was a {verdicts[0]} in {first.name} and a {verdicts[1]} in "
            f"{second.name}, so engine_init is where that shows, and not what came before it"
        )
    if not claims:
        notes.append("no phase was named beforehand, so only the total has a verdict")
    return notes


def _pooled(one: Varies, first: str, second: str) -> str:
    """What varies, in the numbers of either side."""
    told = "; ".join(
        f"{name} has {', '.join(f'{n} in {value}' for value, n in counts.items()) or 'none told'}"
        for name, counts in ((first, one.first), (second, one.second))
    )
    words = f"{one.name} varies, as was said, and its rounds are pooled: {told}"
    if one.is_even:
        return words
    return (
        f"{words}; the shares are not the same on both sides, so what one {one.name} is slower "
        "by than another is in the difference"
    )


def _in_blocks(first: RoundSet, second: RoundSet) -> list[str]:
    """Whether one side was over before the other began."""
    orders = [
        [one.order for one in side.counted if one.order is not None] for side in (first, second)
    ]
    if any(len(order) < FEWEST for order in orders):
        return []
    one, two = orders
    if max(one) >= min(two) and max(two) >= min(one):
        return []
    return [_BLOCKS]


def _where(first: RoundSet, second: RoundSet, may: Comparable) -> list[str]:
    """Of sets that may not be compared: in which phases their medians are apart."""
    if not may.against or not first.counted or not second.counted:
        return []
    apart = {
        name: spread(second.lengths_ns(name)).median_ns - spread(first.lengths_ns(name)).median_ns
        for name in (TOTAL, *(phase.value for phase in Phase))
    }
    total = apart.pop(TOTAL)
    largest = max(map(abs, apart.values()), default=0)
    parts = sorted(
        (name for name in apart if abs(apart[name]) * 10 > largest), key=lambda n: -abs(apart[n])
    )
    told = ", ".join(f"{name} {seconds(apart[name]):+.1f} s" for name in parts)
    return (
        [f"the totals are {seconds(total):+.1f} s apart, and that lies in {told}"] if told else []
    )


def _verdicts(side: RoundSet) -> str:
    found = {one.start.compile_cache.verdict for one in side.counted}
    found -= {CacheVerdict.UNKNOWN, CacheVerdict.NOT_APPLICABLE}
    return " or ".join(sorted(found))
