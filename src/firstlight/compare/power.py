"""
The smallest shift that so many rounds, so far spread, would have shown.

It is tried out: two sets of normal noise are drawn many times, and it is counted how far the
second must be shifted for test and interval to see it as often as `POWER` says. The draws are
seeded, so that the same numbers of rounds have the same answer.
"""

from collections.abc import Sequence
from functools import cache
from math import comb, pi, sqrt
from statistics import NormalDist, stdev

import numpy as np

from firstlight.compare.verdict import LEVEL
from firstlight.core.intervals import arrangements

POWER = 0.8
_SEED = 20_261_130
_TRIALS = 2_000
_MOST_TRIED = 2_500
"""Pairs of rounds up to which the smallest effect is tried out; beyond, it is a formula's."""


def smallest_ns(first_ns: Sequence[int], second_ns: Sequence[int], level: float) -> int | None:
    """The smallest shift that two such sets would show at a level; None where they cannot any."""
    n, m = len(first_ns), len(second_ns)
    shift = shift_found(n, m, level)
    if shift is None:
        return None
    squares = (n - 1) * stdev(first_ns) ** 2 + (m - 1) * stdev(second_ns) ** 2
    return round(shift * sqrt(squares / (n + m - 2)))


@cache
def shift_found(n: int, m: int, level: float) -> float | None:
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
