"""
How far two sets of rounds lie apart, and how sure that is; from scipy, with names and sources.

Starts are few and skewed, so nothing here is about means:

- the estimate is the difference of the medians, its interval a percentile bootstrap (Efron and
  Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13), seeded, so that the same
  rounds have the same interval;
- whether there is a difference at all is asked of the rank test of Mann and Whitney (1947),
  exact, by permutation where two rounds took equally long;
- several questions at once are held to one error together after Holm (1979), with a weight for
  each (section 4 of his paper): what was asked beforehand has the larger part of the error;
- an outlier is a round whose modified z-score is above 3.5 (Iglewicz and Hoaglin, "How to Detect
  and Handle Outliers", 1993); it is flagged, and stays;
- a drift is a rank correlation (Spearman) of what is left of the lengths, when each set's median
  is taken off, with their order in time.

With fewer than four rounds on a side no rank test can reach 5 %, so nothing is tested then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, pi, sqrt
from statistics import NormalDist, median, stdev
from typing import Any

import numpy as np
from scipy import stats

from firstlight.core.intervals import arrangements

Lengths = np.ndarray[Any, np.dtype[np.float64]]
FEWEST = 4
"""Rounds a side: three against three cannot reach 5 %."""
LEVEL = 0.05
POWER = 0.8
_CLAIMED = 0.8
"""The share of the error of all phases that the claimed ones have."""
_DRAWS = 3_000
_SEED = 20_261_130
_TRIALS = 2_000
_MOST_EXACT = 2_500
"""Pairs of rounds up to which ranks are counted exactly; beyond, a normal curve fits them, and an
exact count would take minutes."""
_MOST_TRIED = 400
"""Pairs of rounds up to which the smallest effect is tried out; beyond, it is a formula's."""
_FAR = 3.5
_TO_SIGMA = 0.6745
_FEWEST_FOR_DRIFT = 8
METHODS = (
    f"interval: percentile bootstrap of the difference of medians, {_DRAWS} draws, 95 %, scipy",
    "difference or none: Mann-Whitney rank test, two-sided, 5 %, exact (ties permuted), scipy",
    "verdict: a difference is one that test and interval both see",
    "where the test leaves zero possible, zero is put into the interval",
    "phases: all held to 5 % together after Holm, four fifths of it for the claimed ones",
    f"smallest effect: found in {POWER:.0%} of trials of normal noise with the rounds' own spread",
    f"outliers: modified z-score above {_FAR}, flagged and kept (Iglewicz and Hoaglin 1993)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The second set's length less the first's."""

    estimate_ns: int
    """Of the medians."""
    low_ns: int
    high_ns: int
    p: float
    """Of the rank test."""
    smallest_ns: int | None
    """The smallest shift that so many rounds, so far spread, would have shown; None where so few
    could show none, however large."""

    @property
    def excludes_zero(self) -> bool:
        return self.low_ns > 0 or self.high_ns < 0


def difference(
    first_ns: Sequence[int], second_ns: Sequence[int], *, level: float = LEVEL
) -> Difference | None:
    """
    The difference with all that is known of it; None with fewer than four rounds a side.

    Args:
        first_ns: lengths of the one set.
        second_ns: those of the other.
        level: the error that the smallest effect is asked for.
    """
    if min(len(first_ns), len(second_ns)) < FEWEST:
        return None
    low_ns, high_ns = _interval(first_ns, second_ns)
    return Difference(
        estimate_ns=round(median(second_ns) - median(first_ns)),
        low_ns=low_ns,
        high_ns=high_ns,
        p=rank_test(first_ns, second_ns),
        smallest_ns=_smallest(first_ns, second_ns, level),
    )


def rank_test(first_ns: Sequence[int], second_ns: Sequence[int]) -> float:
    """The probability of ranks as uneven as these where there is no difference."""
    together = [*first_ns, *second_ns]
    if len(set(together)) == 1:
        return 1.0
    one, two = np.asarray(first_ns, float), np.asarray(second_ns, float)
    if len(one) * len(two) > _MOST_EXACT:
        return float(stats.mannwhitneyu(one, two, method="asymptotic").pvalue)
    if len(set(together)) < len(together):
        return _permuted(one, two)
    return float(stats.mannwhitneyu(one, two, method="exact").pvalue)


def _permuted(first: Lengths, second: Lengths) -> float:
    """
    The rank test where rounds tie: the share of all orders that are as uneven, counted exactly.

    All orders are counted without trying them: how often a sum of ranks comes up among so many
    rounds follows from how often it does without the last of them. Ranks of ties end in a half,
    so twice the rank is counted. Drawing orders instead would take a hundred times as long and
    move a probability of 2 % by a fifth of itself.
    """
    doubled = np.rint(2 * stats.rankdata(np.concatenate([first, second]))).astype(int)
    chosen, most = len(first), int(np.sort(doubled)[-len(first) :].sum())
    orders = np.zeros((chosen + 1, most + 1))
    orders[0, 0] = 1
    for rank in doubled:
        orders[1:, rank:] += orders[:-1, : most + 1 - rank].copy()
    share = orders[chosen] / orders[chosen].sum()
    seen = int(doubled[:chosen].sum())
    return min(1.0, 2 * float(min(share[: seen + 1].sum(), share[seen:].sum())))


def _interval(first_ns: Sequence[int], second_ns: Sequence[int]) -> tuple[int, int]:
    # Nanoseconds of an hour are exact in a float; their differences are rounded to whole ones.
    def shift(first: Lengths, second: Lengths, axis: int) -> Lengths:
        return _medians(second, axis) - _medians(first, axis)

    found = stats.bootstrap(
        (np.asarray(first_ns, float), np.asarray(second_ns, float)),
        shift,
        n_resamples=_DRAWS,
        method="percentile",
        confidence_level=1 - LEVEL,
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return round(found.low), round(found.high)


def _medians(lengths: Lengths, axis: int) -> Lengths:
    """As numpy's, which takes five times as long over many short rows."""
    rows, number = np.sort(lengths, axis=axis), lengths.shape[axis]
    low, high = np.take(rows, (number - 1) // 2, axis=axis), np.take(rows, number // 2, axis=axis)
    return np.asarray((low + high) / 2)


def _smallest(first_ns: Sequence[int], second_ns: Sequence[int], level: float) -> int | None:
    n, m = len(first_ns), len(second_ns)
    shift = _shift_found(n, m, level)
    if shift is None:
        return None
    squares = (n - 1) * stdev(first_ns) ** 2 + (m - 1) * stdev(second_ns) ** 2
    return round(shift * sqrt(squares / (n + m - 2)))


@cache
def _shift_found(n: int, m: int, level: float = LEVEL) -> float | None:
    """
    The shift, in standard deviations, that is found as often as `POWER` says.

    Both must find it: the rank test at its level, and the interval of the medians, which vary
    more than means do, by the root of pi / 2. None where no shift can be found.
    """
    per_side = sqrt(1 / n + 1 / m)
    of_interval = _in_sigmas(LEVEL) * sqrt(pi / 2) * per_side
    if n * m > _MOST_TRIED:
        return max(of_interval, _in_sigmas(level) * sqrt(pi / 3) * per_side)
    wins = _critical(n, m, level)
    if wins > n * m:
        return None
    random = np.random.default_rng(_SEED)
    first, second = random.normal(size=(_TRIALS, n)), random.normal(size=(_TRIALS, m))
    apart = (first[:, :, None] - second[:, None, :]).reshape(_TRIALS, n * m)
    # Once the second set is shifted by more than so many of the differences, it is found.
    needed = np.partition(apart, wins - 1, axis=1)[:, wins - 1]
    return max(of_interval, float(np.quantile(needed, POWER)))


def _in_sigmas(level: float) -> float:
    normal = NormalDist()
    return normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER)


@cache
def _critical(n: int, m: int, level: float) -> int:
    """The smallest statistic that is significant on its side; above every one where none is."""
    orders, tail = comb(n + m, n), 0
    for u in range(n * m, -1, -1):
        tail += arrangements(n, m, u)
        if 2 * tail / orders > level:
            return u + 1
    return 0


def shares(claimed: int, others: int) -> tuple[float, float]:
    """
    How much of the error of all phases together one claimed phase has, and one other.

    A change claims one or two phases, and a start has ten: split evenly, four rounds a side
    could not show what the change was made for.
    """
    if not claimed or not others:
        return (1 / claimed if claimed else 0.0), (1 / others if others else 0.0)
    return _CLAIMED / claimed, (1 - _CLAIMED) / others


def holm(values: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """
    The probabilities of several tests, adjusted so that one error holds for all together.

    Args:
        values: one for each test.
        weights: what share of the error each has, more than zero; None for all alike.
    """
    weights = weights or [1.0] * len(values)
    order = sorted(range(len(values)), key=lambda at: values[at] / weights[at])
    adjusted, least = [1.0] * len(values), 0.0
    left = sum(weights)
    for at in order:
        least = max(least, min(1.0, values[at] * left / weights[at]))
        adjusted[at] = least
        left -= weights[at]
    return adjusted


def outliers(lengths_ns: Sequence[int]) -> list[bool]:
    """Which lengths lie far out; none where half of them are equal."""
    if len(lengths_ns) < FEWEST:
        return [False] * len(lengths_ns)
    middle = median(lengths_ns)
    spread = median(abs(one - middle) for one in lengths_ns)
    if not spread:
        return [False] * len(lengths_ns)
    return [_TO_SIGMA * abs(one - middle) / spread > _FAR for one in lengths_ns]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """Whether lengths grew or shrank over the run."""

    correlation: float
    """Of order and length, by ranks; above zero they grew."""
    p: float
    rounds: int

    @property
    def is_seen(self) -> bool:
        return self.p <= LEVEL


def drift(sets: Sequence[Sequence[tuple[int, int]]]) -> Drift | None:
    """
    Whether the run drifted.

    Args:
        sets: for each set its rounds, as (order in time, length in ns).

    Returns:
        None with too few rounds to say, or where all are alike.
    """
    left: list[tuple[int, float]] = []
    for rounds in sets:
        if rounds:
            middle = median(length for _, length in rounds)
            left += [(order, length - middle) for order, length in rounds]
    if len(left) < _FEWEST_FOR_DRIFT or len({length for _, length in left}) == 1:
        return None
    found = stats.spearmanr([order for order, _ in left], [length for _, length in left])
    return Drift(correlation=float(found.statistic), p=float(found.pvalue), rounds=len(left))
