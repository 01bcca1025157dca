"""
Whether a run drifted: lengths that grow or shrink with time, whatever was changed.

It is a rank correlation (Spearman 1904) of what is left of the lengths, when each set's median
is taken off, with their order in time. With few rounds a set, what is left is not free: it lies
around its own median. So how often chance alone gives as much is found by changing places within
each set, and not from a table (Pitman 1937).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from scipy import stats

from firstlight.compare.verdict import LEVEL

_FEWEST_FOR_DRIFT = 8
_CHANGES = 2_000
_SEED = 20_261_130
_TINY = 1e-9


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
    orders: list[int] = []
    left: list[float] = []
    sizes: list[int] = []
    for rounds in filter(None, sets):
        middle = median(length for _, length in rounds)
        orders += [order for order, _ in rounds]
        left += [length - middle for _, length in rounds]
        sizes.append(len(rounds))
    if len(left) < _FEWEST_FOR_DRIFT or len(set(left)) == 1:
        return None
    found = float(stats.spearmanr(orders, left).statistic)
    return Drift(correlation=found, p=_by_chance(orders, left, sizes), rounds=len(left))


def _by_chance(orders: Sequence[int], left: Sequence[float], sizes: Sequence[int]) -> float:
    """How often rounds that change places within their sets correlate as much."""
    time, ranks = stats.rankdata(orders), stats.rankdata(left)
    time = time - time.mean()
    random = np.random.default_rng(_SEED)
    ends = np.cumsum(sizes)
    blocks = [
        random.permuted(np.tile(ranks[end - size : end], (_CHANGES, 1)), axis=1)
        for size, end in zip(sizes, ends, strict=True)
    ]
    as_much = np.abs(np.hstack(blocks) @ time) >= abs(float(ranks @ time)) - _TINY
    return (1 + int(as_much.sum())) / (1 + _CHANGES)
