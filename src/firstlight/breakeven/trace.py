"""
Requests as they came: the course over a trace, exactly.

Nothing is stepped through in time. Where the engine can go down at all is given by the trace
alone: at gaps longer than the quiet time (idle time plus the length of a request). Of these, a
start that takes long swallows some: it is still running, or has just ended, when the gap would
begin. Which ones depends on how long it takes, and so does for how long the engine was down at
the next return, and whether that is a hit.

Start times are a sample, and each start is as likely to be one as another, whatever the others
were. So the probability that a gap ends in a return, cold or warm, is carried forward along the
gaps: from each, for each start time, to the next return it leads to. The sum is the expectation
over all ways to draw start times, without drawing any.

The trace begins with its first request, which finds the engine up, and what lies beyond its end
is not looked at.
"""

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import mul
from statistics import fmean

from firstlight.breakeven.course import DAY_S, NO_CYCLES, Course, Cycles, Rule
from firstlight.breakeven.cycles import CycleTable, cycle_table
from firstlight.core.errors import BadInput

_WINDOWS = 16
"""How many windows one look takes; each is a pass over the gaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Requests in order of time, in seconds from the first."""

    times: "array[float]"
    end_s: float
    _gaps: dict[float, list[int]] = field(default_factory=dict, compare=False, repr=False)
    _tables: dict[tuple[float, tuple[float, ...]], CycleTable] = field(
        default_factory=dict, compare=False, repr=False
    )
    _courses: dict[tuple[Rule, tuple[float, ...], tuple[float, ...]], Course] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def days(self) -> float:
        return self.end_s / DAY_S

    def course(self, rule: Rule, *, cold: Sequence[float], warm: Sequence[float]) -> Course:
        """What a day brings."""
        key = (rule, tuple(cold), tuple(warm))
        if key not in self._courses:
            self._courses[key] = self._course(*key)
        return self._courses[key]

    def waiting_s(self, rule: Rule, lengths: Sequence[float]) -> float:
        """The mean over all gaps, so that the lengths of starts are compared at the same ones."""
        rows = self._table(rule, tuple(lengths)).waiting_s
        return fmean(map(fmean, rows)) if all(rows) else 0.0

    def quicker(self, factor: float) -> "Trace":
        """The same pattern in less time."""
        return Trace(times=array("d", (t / factor for t in self.times)), end_s=self.end_s / factor)

    def windows_s(
        self,
        rule: Rule,
        *,
        cold: Sequence[float],
        warm: Sequence[float],
        between: tuple[float, float],
    ) -> list[float]:
        """
        How long the engine is ever down, evenly chosen where that is too often.

        Between two of these lengths a longer window finds no more nodes and costs more, so the
        best window is one of them, or none.
        """
        low, high = between
        _, first_down_s = self._before_any_start(rule.quiet_s)
        rows = [self._table(rule, tuple(lengths)).down_s for lengths in (cold, warm)]
        found = {first_down_s}.union(*(row for scenario in rows for row in scenario))
        down = sorted(down_s for down_s in found if low < down_s < high)
        if len(down) > _WINDOWS:
            last = len(down) - 1
            down = [down[round(k * last / (_WINDOWS - 1))] for k in range(_WINDOWS)]
        return down

    def gaps(self, quiet_s: float) -> list[int]:
        """The requests before which nobody asked for longer than the quiet time."""
        found = self._gaps.get(quiet_s)
        if found is None:
            found = [i for i, (a, b) in enumerate(pairwise(self.times), 1) if b - a > quiet_s]
            self._gaps[quiet_s] = found
        return found

    def _table(self, rule: Rule, lengths: tuple[float, ...]) -> CycleTable:
        key = (rule.quiet_s, lengths)
        if key not in self._tables:
            self._tables[key] = cycle_table(
                self.times,
                end_s=self.end_s,
                gaps=self.gaps(rule.quiet_s),
                quiet_s=rule.quiet_s,
                lengths=lengths,
            )
        return self._tables[key]

    def _course(self, rule: Rule, cold: tuple[float, ...], warm: tuple[float, ...]) -> Course:
        gaps, days, window_s = self.gaps(rule.quiet_s), self.days, rule.retention_s
        first_up_s, first_down_s = self._before_any_start(rule.quiet_s)
        tables = [self._table(rule, lengths) for lengths in (cold, warm)]
        likely = _carried(tables, first_down_s, window_s)

        def longer(wait_s: float) -> float:
            return (
                sum(
                    self._waiting_longer(gaps, chances, lengths, wait_s)
                    for chances, lengths in zip(likely, (cold, warm), strict=True)
                )
                / days
            )

        of_cold, of_warm = (
            _cycles(chances, table, window_s, days)
            for chances, table in zip(likely, tables, strict=True)
        )
        return Course(
            cold=of_cold,
            warm=of_warm,
            requests=len(self.times) / days,
            waiters_longer=longer,
            first_up_s=first_up_s / days,
            first_kept_s=min(first_down_s, window_s) / days,
        )

    def _before_any_start(self, quiet_s: float) -> tuple[float, float]:
        """How long the engine is up at first, and then down until the first return."""
        gaps = self.gaps(quiet_s)
        last_s = self.times[gaps[0] - 1] if gaps else self.times[-1]
        up_s = min(self.end_s, last_s + quiet_s)
        return up_s, (self.times[gaps[0]] if gaps else self.end_s) - up_s

    def _waiting_longer(
        self, gaps: list[int], chances: list[float], lengths: Sequence[float], wait_s: float
    ) -> float:
        times, found = self.times, 0.0
        left_s = [start_s - wait_s for start_s in lengths if start_s > wait_s]
        for chance, first in zip(chances, gaps, strict=True):
            if chance:
                begun_s = times[first]
                for within_s in left_s:
                    found += chance * (bisect_left(times, begun_s + within_s, first) - first)
        return found / len(lengths) if lengths else 0.0


def trace(times: Sequence[float], *, end_s: float | None = None) -> Trace:
    """
    A trace.

    Args:
        times: of requests, in seconds, in order.
        end_s: where it ends, on the same clock; with its last request if None.

    Raises:
        BadInput: it is too short to say anything about a day.
    """
    if not times or (times[-1] if end_s is None else end_s) <= times[0]:
        raise BadInput(
            f"{len(times)} requests over no time are no trace",
            remedy="give the times of requests over some days",
        )
    first_s = times[0]
    ends_s = times[-1] if end_s is None else end_s
    return Trace(times=array("d", (t - first_s for t in times)), end_s=ends_s - first_s)


def _carried(
    tables: Sequence[CycleTable], first_down_s: float, window_s: float
) -> list[list[float]]:
    """By cold and warm, for each gap, how likely it ends in such a return."""
    gaps = max(len(table.steps) for table in tables)
    likely = [[0.0] * (gaps + 1), [0.0] * (gaps + 1)]
    # Without a window nothing is a hit, however near two times may round to each other.
    hits_up_to_s = window_s or -1.0
    likely[first_down_s <= hits_up_to_s][0] = 1.0
    for gap in range(gaps):
        for chances, table in zip(likely, tables, strict=True):
            chance = chances[gap]
            if chance:
                for following, down_s, share in table.steps[gap]:
                    likely[down_s <= hits_up_to_s][following] += chance * share
    # The last place holds what the trace's end cut off.
    return [chances[:-1] for chances in likely]


def _cycles(chances: list[float], table: CycleTable, window_s: float, days: float) -> Cycles:
    number = sum(chances)
    if not number:
        return NO_CYCLES

    def means(rows: Sequence[Sequence[float]]) -> tuple[float, ...]:
        return tuple(sum(map(mul, chances, row)) / number for row in rows)

    return Cycles(
        per_day=number / days,
        waiting_s=means(table.waiting_s),
        up_s=means(table.up_s),
        kept_s=means([[min(down_s, window_s) for down_s in row] for row in table.down_s]),
    )
