"""
At which gaps of a trace somebody returns, and how likely that is.

From each return the chance of the next is carried forward, gap by gap. Almost all of it is
simple: whatever the start takes, the next gap ends in the next return, and all of these returns
lie on one side of the window. That is looked up; only where start times part ways, steps are
taken one by one. And only gaps with a chance are added up: many a window has half of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from math import inf
from operator import itemgetter, mul

from firstlight.breakeven.cycles import CycleTable

_FEW = 10
"""From one in so many on, chances are multiplied one and all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Returns:
    """The returns of one kind, cold or warm."""

    gaps: Sequence[int]
    """At which there may be one, in order of time."""
    chances: Sequence[float]
    """How likely it is at each."""
    unsure: Sequence[tuple[int, float]]
    """The places in `gaps` whose chance is not 1, and the chance."""
    number: float
    """How many are to be expected."""

    @staticmethod
    def of(row: Sequence[float]) -> "Returns":
        """Those of every gap, most of which have none."""
        chances = list(filter(None, row))
        return Returns(
            gaps=list(compress(range(len(row)), row)),
            chances=chances,
            unsure=[(at, chance) for at, chance in enumerate(chances) if chance != 1.0],
            number=sum(chances),
        )

    def means(self, rows: Iterable[Sequence[float]], most: float = inf) -> tuple[float, ...]:
        """
        The mean over these returns of things that each gap has.

        Args:
            rows: a place for every gap of the trace.
            most: what is taken instead of larger values.
        """
        pick = itemgetter(*self.gaps) if len(self.gaps) > 1 else self._only
        return tuple(self._sum(pick(row), most) / self.number for row in rows)

    def _only(self, row: Sequence[float]) -> tuple[float, ...]:
        return (row[self.gaps[0]],)

    def _sum(self, picked: Sequence[float], most: float) -> float:
        if most < inf:
            # A call of `min` for each takes three times as long.
            picked = [one if one < most else most for one in picked]  # noqa: FURB136
        if len(self.unsure) * _FEW > len(picked):
            picked = list(map(mul, self.chances, picked))
        elif self.unsure:
            picked = list(picked)
            for at, chance in self.unsure:
                picked[at] *= chance
        return sum(picked)


def returns(
    tables: tuple[CycleTable, CycleTable], *, first_down_s: float, window_s: float
) -> tuple[Returns, Returns]:
    """
    Cold and warm returns.

    Args:
        tables: what follows a cold start, and what follows a warm one.
        first_down_s: for how long the engine was down at the first gap.
        window_s: for which the node is kept.
    """
    cold_ahead, warm_ahead = (table.ahead for table in tables)
    gaps = max(len(cold_ahead), len(warm_ahead))
    cold, warm = [0.0] * (gaps + 1), [0.0] * (gaps + 1)
    # Without a window nothing is a hit, however near two times may round to each other.
    hits_up_to_s = window_s or -1.0
    (warm if first_down_s <= hits_up_to_s else cold)[0] = 1.0
    gap = furthest = 0
    while gap < gaps:
        if gap == furthest and 1.0 in (cold[gap], warm[gap]) and not (cold[gap] and warm[gap]):
            # The one return there can be: it is followed for as long as that is so.
            row, ahead = (warm, warm_ahead) if warm[gap] else (cold, cold_ahead)
            while gap < gaps:
                following, least_s, most_s = ahead[gap]
                if not following or least_s <= hits_up_to_s < most_s:
                    break
                is_hit = most_s <= hits_up_to_s
                row, ahead = (warm, warm_ahead) if is_hit else (cold, cold_ahead)
                row[following] = 1.0
                gap = furthest = following
            if gap == gaps:
                break
        for row, table in zip((cold, warm), tables, strict=True):
            if chance := row[gap]:
                for following, down_s, share in table.steps(gap):
                    (warm if down_s <= hits_up_to_s else cold)[following] += chance * share
                    furthest = max(furthest, following)
        gap += 1
    # The last place holds what the trace's end cut off.
    return Returns.of(cold[:-1]), Returns.of(warm[:-1])
