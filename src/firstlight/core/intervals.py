"""
How much one set of rounds differs from another, and how sure that is.

Starts are few and skewed: a neighbour on the machine makes one of them slow, and
nothing makes one fast. So nothing here assumes a distribution. The estimate is
the median of all pairwise differences (Hodges and Lehmann 1963); the interval is
the exact one that belongs to the Mann-Whitney statistic (Bauer 1972; Hollander
and Wolfe, "Nonparametric Statistical Methods", 1999, section 4.3). With too few
rounds no such interval exists, and none is given: three rounds against three
cannot reach 95 %, four against four can.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from statistics import median

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The middle of some lengths, and how far they lie apart."""

    median_ns: int
    lowest_ns: int
    highest_ns: int
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How much longer the first set took than the second."""

    estimate_ns: int
    low_ns: int
    high_ns: int
    coverage: float
    """What the interval covers in truth, at least the confidence asked for."""

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of zero: a difference was seen."""
        return self.low_ns > 0 or self.high_ns < 0


def spread(lengths_ns: Sequence[int]) -> Spread:
    """Median and extremes.

    Raises:
        ValueError: there are no lengths.
    """
    return Spread(
        median_ns=round(median(lengths_ns)),
        lowest_ns=min(lengths_ns),
        highest_ns=max(lengths_ns),
        rounds=len(lengths_ns),
    )


def shift(
    first_ns: Sequence[int], second_ns: Sequence[int], *, confidence: float = CONFIDENCE
) -> Shift | None:
    """The difference first minus second with its exact interval; None with too few rounds."""
    differences = sorted(a - b for a in first_ns for b in second_ns)
    outside = _outside(len(first_ns), len(second_ns), confidence)
    if outside is None:
        return None
    cut, coverage = outside
    return Shift(
        estimate_ns=round(median(differences)),
        low_ns=differences[cut],
        high_ns=differences[-1 - cut],
        coverage=coverage,
    )


def fewest_rounds(confidence: float = CONFIDENCE) -> int:
    """How many rounds on each side an interval needs."""
    return next(n for n in range(1, 100) if _outside(n, n, confidence) is not None)


def _outside(n: int, m: int, confidence: float) -> tuple[int, float] | None:
    """How many differences to cut off at each end, and what is covered then."""
    if not n or not m:
        return None
    each_side = (1 - confidence) / 2
    total = comb(n + m, n)
    tail = 0
    for u in range(n * m + 1):
        tail += arrangements(n, m, u)
        if tail / total > each_side:
            covered = 1 - 2 * (tail - arrangements(n, m, u)) / total
            return (u - 1, covered) if u else None
    return None


@cache
def arrangements(n: int, m: int, u: int) -> int:
    """In how many orders of n and m rounds the Mann-Whitney statistic is u."""
    if u < 0:
        return 0
    if n == 0 or m == 0:
        return int(u == 0)
    return arrangements(n - 1, m, u - m) + arrangements(n, m - 1, u)
