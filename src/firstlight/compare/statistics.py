"""
How far two sets of rounds lie apart, and how sure that is; from scipy, with names and sources.

Starts are few and skewed, so nothing here is about means:

- the estimate is the difference of the medians, its interval a percentile bootstrap (Efron and
  Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13): of all resamples where they
  can be counted, else of many that are seeded, so that the same rounds have the same interval;
- whether there is a difference at all is asked of a rank test (`ranks`), and how large one would
  have to be to be seen is tried out (`power`);
- several questions at once are held to one error together (`holm`);
- an outlier is a round whose modified z-score is above 3.5 (Iglewicz and Hoaglin, "How to Detect
  and Handle Outliers", 1993); it is flagged, and stays;
- whether the whole run drifted is asked of the order of its rounds (`drift`).

With fewer than four rounds on a side no rank test can reach 5 %, so nothing is tested then.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from statistics import median
from typing import Any

import numpy as np
from scipy import stats

from firstlight.compare.power import POWER, smallest_ns
from firstlight.compare.ranks import MOST_EXACT, Lengths, rank_test
from firstlight.compare.verdict import FEWEST, LEVEL

_DRAWS = 3_000
_MOST_COUNTED = 6
_SEED = 20_261_130
_FAR = 3.5
_TO_SIGMA = 0.6745
METHODS = (
    (
        "interval: percentile bootstrap of the difference of medians, 95 %, all resamples up to "
        f"{_MOST_COUNTED} rounds a side, else {_DRAWS} draws, scipy (Efron and Tibshirani 1993, "
        "chapter 13)"
    ),
    (
        "difference or none: rank test, two-sided, 5 %, exact (ties permuted; a normal curve "
        f"beyond {MOST_EXACT} pairs of rounds), scipy (Mann and Whitney 1947)"
    ),
    (
        "verdict: a difference is one that test and interval both see; where one side is spread "
        "far more than the other, the ranks may differ where the medians do not"
    ),
    "where the test leaves zero possible, zero is put into the interval",
    "phases: held to 5 % together, four fifths of it for claimed ones (Holm 1979, section 4)",
    f"smallest effect: found in {POWER:.0%} of trials of normal noise with the rounds' own spread",
    f"outliers: modified z-score above {_FAR}, flagged and kept (Iglewicz and Hoaglin 1993)",
    (
        "drift: rank correlation of order in time and length less median (Spearman 1904), places "
        "changed within each set (Pitman 1937)"
    ),
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
        smallest_ns=smallest_ns(first_ns, second_ns, level),
    )


def _interval(first_ns: Sequence[int], second_ns: Sequence[int]) -> tuple[int, int]:
    if max(len(first_ns), len(second_ns)) <= _MOST_COUNTED:
        return _counted(first_ns, second_ns)

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


def _counted(first_ns: Sequence[int], second_ns: Sequence[int]) -> tuple[int, int]:
    """The same from every resample there is, each side's medians with how often each comes."""
    (first, often), (second, often_too) = _all_medians(first_ns), _all_medians(second_ns)
    apart = (second[:, None] - first[None, :]).ravel()
    weights = (often_too[:, None] * often[None, :]).ravel()
    order = np.argsort(apart)
    reached = np.cumsum(weights[order]) / weights.sum()
    low = apart[order][np.searchsorted(reached, LEVEL / 2)]
    high = apart[order][np.searchsorted(reached, 1 - LEVEL / 2)]
    return round(low), round(high)


def _all_medians(lengths_ns: Sequence[int]) -> tuple[Lengths, Lengths]:
    """The median of each resample, and how many orders of drawing make it."""
    drawn, often = _resamples(len(lengths_ns))
    return _medians(np.asarray(lengths_ns, float)[drawn], 1), often


@cache
def _resamples(number: int) -> tuple[np.ndarray[Any, np.dtype[np.intp]], Lengths]:
    """Which of so many rounds each resample has, whatever their order, and its orders."""
    drawn = list(combinations_with_replacement(range(number), number))
    orders = [factorial(number) / prod(map(factorial, Counter(one).values())) for one in drawn]
    return np.asarray(drawn, np.intp), np.asarray(orders, float)


def _medians(lengths: Lengths, axis: int) -> Lengths:
    """As numpy's, which takes five times as long over many short rows."""
    rows, number = np.sort(lengths, axis=axis), lengths.shape[axis]
    low, high = np.take(rows, (number - 1) // 2, axis=axis), np.take(rows, number // 2, axis=axis)
    return np.asarray((low + high) / 2)


def outliers(lengths_ns: Sequence[int]) -> list[bool]:
    """Which lengths lie far out; none where half of them are equal."""
    if len(lengths_ns) < FEWEST:
        return [False] * len(lengths_ns)
    middle = median(lengths_ns)
    spread = median(abs(one - middle) for one in lengths_ns)
    if not spread:
        return [False] * len(lengths_ns)
    return [_TO_SIGMA * abs(one - middle) / spread > _FAR for one in lengths_ns]
