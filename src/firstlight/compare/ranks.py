"""
Whether two sets of lengths differ at all: the rank test of Mann and Whitney (1947).

It is exact, by permutation where two rounds took equally long. Of very many rounds a normal
curve fits the ranks, and an exact count would take minutes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

Lengths = np.ndarray[Any, np.dtype[np.float64]]
MOST_EXACT = 2_500
"""Pairs of rounds up to which ranks are counted exactly."""


def rank_test(first_ns: Sequence[int], second_ns: Sequence[int]) -> float:
    """The probability of ranks as uneven as these where there is no difference."""
    together = [*first_ns, *second_ns]
    if len(set(together)) == 1:
        return 1.0
    one, two = np.asarray(first_ns, float), np.asarray(second_ns, float)
    if len(one) * len(two) > MOST_EXACT:
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
