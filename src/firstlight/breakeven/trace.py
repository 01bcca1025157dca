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
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress, count, islice, repeat
from operator import lt, sub, truediv
from statistics import fmean

from firstlight.breakeven.course import DAY_S, NO_CYCLES, Course, Cycles, Rule
from firstlight.breakeven.cycles import CycleTable, cycle_table
from firstlight.breakeven.returns import Returns, returns
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

    _lengths: dict[tuple[float, tuple[float, ...], tuple[float, ...]], list[float]] = field(
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
        return Trace(
            times=array("d", map(truediv, self.times, repeat(factor))), end_s=self.end_s / factor
        )

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
        down = self._downs(rule, tuple(cold), tuple(warm))
        down = down[bisect_right(down, low) : bisect_left(down, high)]
        if len(down) > _WINDOWS:
            last = len(down) - 1
            down = [down[round(k * last / (_WINDOWS - 1))] for k in range(_WINDOWS)]
        return down

    def gaps(self, quiet_s: float) -> list[int]:
        """The requests before which nobody asked for longer than the quiet time."""
        found = self._gaps.get(quiet_s)
        if found is None:
            between_s = map(sub, islice(self.times, 1, None), self.times)
            found = list(compress(count(1), map(lt, repeat(quiet_s), between_s)))
            self._gaps[quiet_s] = found
        return found

    def _downs(self, rule: Rule, cold: tuple[float, ...], warm: tuple[float, ...]) -> list[float]:
        """Every length of time that the engine may be down, the shortest first."""
        key = (rule.quiet_s, cold, warm)
        if key not in self._lengths:
            _, first_down_s = self._before_any_start(rule.quiet_s)
            rows = [row for lengths in (cold, warm) for row in self._table(rule, lengths).down_s]
            self._lengths[key] = sorted({first_down_s}.union(*rows))
        return self._lengths[key]

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
        tables = self._table(rule, cold), self._table(rule, warm)
        of_both = returns(tables, first_down_s=first_down_s, window_s=window_s)

        def longer(wait_s: float) -> float:
            return (
                sum(
                    self._waiting_longer(gaps, some, table, lengths, wait_s)
                    for some, table, lengths in zip(of_both, tables, (cold, warm), strict=True)
                )
                / days
            )

        of_cold, of_warm = (
            _cycles(some, table, window_s, days)
            for some, table in zip(of_both, tables, strict=True)
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
        self,
        gaps: list[int],
        some: Returns,
        table: CycleTable,
        lengths: Sequence[float],
        wait_s: float,
    ) -> float:
        times, found = self.times, 0.0
        left = [
            (start_s - wait_s, behind)
            for start_s, behind in zip(lengths, table.behind, strict=True)
            if start_s > wait_s
        ]
        for chance, gap in zip(some.chances, some.gaps, strict=True):
            first = gaps[gap]
            begun_s = times[first]
            for within_s, behind in left:
                end = bisect_left(times, begun_s + within_s, first, behind[gap])
                found += chance * (end - first)
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
            f"{len(times)} request{'s' if len(times) != 1 else ''} over no time are no trace",
            remedy="give the times of requests over some days",
        )
    first_s = times[0]
    ends_s = times[-1] if end_s is None else end_s
    return Trace(times=array("d", (t - first_s for t in times)), end_s=ends_s - first_s)


def _cycles(some: Returns, table: CycleTable, window_s: float, days: float) -> Cycles:
    if not some.number:
        return NO_CYCLES

    return Cycles(
        per_day=some.number / days,
        waiting_s=some.means(table.waiting_s),
        up_s=some.means(table.up_s),
        kept_s=some.means(table.down_s, most=window_s),
    )
