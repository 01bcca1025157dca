"""
What follows a return: for each gap of a trace at which one may lie, and each length of a start.

None of it depends on the retention window, so it is worked out once for all windows.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import and_, eq, mul
from typing import Any

Step = tuple[int, float, float]
"""The gap of the next return, for how long the engine was down until it, and how likely it is."""
Ahead = tuple[int, float, float]
"""The steps of a gap in short: the gap that all of them lead to, for certain, or 0; the least and
the most that the engine is down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleTable:
    """A row for each start time, with a place for each gap; and the steps from each gap."""

    up_s: list[list[float]]
    """From the return to the engine's going down, or to the end of the trace."""
    down_s: list[list[float]]
    """From there to the next return, or to the end of the trace."""
    waiting_s: list[list[float]]
    """What all users together wait for the start."""
    behind: list[list[int]]
    """The first request that does not wait for it."""
    nexts: list[list[int]]
    """The gap of the next return; one behind the last where the trace ends before another."""
    ahead: list[Ahead]
    _steps: dict[int, list[Step]] = field(default_factory=dict, compare=False, repr=False)

    def steps(self, gap: int) -> list[Step]:
        """Where the start times of a gap lead, those that lead to the same taken together."""
        if gap not in self._steps:
            nexts = [row[gap] for row in self.nexts]
            self._steps[gap] = _steps(nexts, [row[gap] for row in self.down_s])
        return self._steps[gap]


def cycle_table(
    times: Sequence[float],
    *,
    end_s: float,
    gaps: Sequence[int],
    quiet_s: float,
    lengths: Sequence[float],
) -> CycleTable:
    """
    The table.

    Args:
        times: of the requests, in order.
        end_s: where the trace ends.
        gaps: the requests before which nobody asked for longer than the quiet time.
        quiet_s: from the begin of the last request's service until the engine goes down.
        lengths: of starts; each is as likely as another.
    """
    begun_s = [times[first] for first in gaps]
    # By the trace alone: the next return, and the last request before it.
    next_s = [*begun_s[1:], end_s][: len(gaps)]
    last_s = [times[first - 1] for first in [*gaps[1:], len(times)]][: len(gaps)]
    up_s, down_s, waiting_s, behind, nexts = [], [], [], [], []
    for start_s in lengths:
        row = [
            _follows(begun_s, gap, ready_s=ready_s, quiet_s=quiet_s)
            if until_s <= (ready_s := begun + start_s) + quiet_s
            else gap + 1
            for gap, (begun, until_s) in enumerate(zip(begun_s, next_s, strict=True))
        ]
        down_at_s = [
            max(begun_s[gap] + start_s, last_s[following - 1]) + quiet_s
            for gap, following in enumerate(row)
        ]
        back_s = [next_s[following - 1] for following in row]
        nexts.append(row)
        up_s.append([min(d, u) - b for d, u, b in zip(down_at_s, back_s, begun_s, strict=True)])
        down_s.append([max(0.0, u - d) for d, u in zip(down_at_s, back_s, strict=True)])
        behind.append([_behind(times, first, start_s) for first in gaps])
        until = zip(gaps, behind[-1], strict=True)
        waiting_s.append([_waiting_s(times, first, end, start_s) for first, end in until])
    return CycleTable(
        up_s=up_s,
        down_s=down_s,
        waiting_s=waiting_s,
        behind=behind,
        nexts=nexts,
        ahead=_ahead(nexts, down_s),
    )


def _steps(nexts: Sequence[int], down_s: Sequence[float]) -> list[Step]:
    """Start times that lead to the same, taken together."""
    if nexts.count(nexts[0]) == down_s.count(down_s[0]) == len(nexts):
        return [(nexts[0], down_s[0], 1.0)]
    shares: dict[tuple[int, float], int] = {}
    for step in zip(nexts, down_s, strict=True):
        shares[step] = shares.get(step, 0) + 1
    return [(*step, number / len(nexts)) for step, number in shares.items()]


def _follows(begun_s: Sequence[float], gap: int, *, ready_s: float, quiet_s: float) -> int:
    """The next return, behind gaps that the start swallows."""
    following = gap + 1
    while following < len(begun_s) and begun_s[following] <= ready_s + quiet_s:
        following += 1
    return following


def _ahead(nexts: Sequence[Sequence[int]], down_s: Sequence[Sequence[float]]) -> list[Ahead]:
    if not nexts:
        return []
    least_s, most_s = list(_columns(min, down_s)), list(_columns(max, down_s))
    together = map(eq, _columns(min, nexts), _columns(max, nexts))
    if len(nexts) & (len(nexts) - 1):
        # Shares of a half, a quarter add up to 1; of others only steps can tell how they round.
        together = map(and_, together, map(eq, least_s, most_s))
    return list(zip(map(mul, together, nexts[0]), least_s, most_s, strict=True))


def _columns(of: Callable[..., Any], rows: Sequence[Sequence[Any]]) -> Iterable[Any]:
    return map(of, *rows) if len(rows) > 1 else rows[0]


def _behind(times: Sequence[float], first: int, start_s: float) -> int:
    """The first request that comes when the start is over."""
    ready_s = times[first] + start_s
    if first + 1 == len(times) or times[first + 1] >= ready_s:
        return first + 1
    return bisect_left(times, ready_s, first)


def _waiting_s(times: Sequence[float], first: int, behind: int, start_s: float) -> float:
    """What all who come during the start wait for its rest."""
    if behind == first + 1:
        return start_s
    return (behind - first) * (times[first] + start_s) - sum(times[first:behind])
