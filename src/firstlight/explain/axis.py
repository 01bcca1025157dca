"""
Which clock to believe, and how exactly.

A line may carry two stamps: vLLM's own (whole seconds, container time, no zone)
and one that a runtime put in front (finer, a date, a zone). The outer one is
better, unless it tells when a log was flushed instead of when a line was
written: then it stands still, or drifts away from the inner one, and the inner
one is right. A constant difference is only a zone. Nothing is moved silently:
what was found is a finding. Stamps without a year that pass New Year's Eve are put
behind it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median_low

from firstlight.core.findings import Finding
from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.log_line import LogLine
from firstlight.readers.stamps import DAY_NS, ENGINE_RESOLUTION_NS, YEAR_NS

_DRIFT_NS = 5 * NS_PER_S
"""Two stamps of one line may differ by buffering; by more than this, one lies."""
_QUARTER_NS = 900 * NS_PER_S
_ZONE_NS = 600 * NS_PER_S
"""From ten minutes on, a constant difference is called a zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a line was written."""

    at_ns: int
    resolution_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One clock for all lines of a start."""

    clock: Clock | None
    """None where no line has a stamp."""
    findings: tuple[Finding, ...] = ()
    shift_ns: int = 0
    """What to add to vLLM's own stamps; 0 where only differences mean anything."""
    _vague_ns: int = 0
    """How far the outer stamps and vLLM's own disagree, beyond what whole seconds explain."""
    _new_year_before_ns: int = 0
    """Stamps below this lie in the next year; 0 where no year ended."""

    def moment(self, line: LogLine) -> Moment | None:
        """When the line was written; None where it carries no stamp of this clock."""
        if self.clock is Clock.OUTER and line.outer_ns is not None:
            at_ns, resolution_ns = line.outer_ns, max(line.outer_resolution_ns, self._vague_ns)
        elif self.clock is Clock.ENGINE and line.engine_ns is not None:
            at_ns, resolution_ns = line.engine_ns + self.shift_ns, ENGINE_RESOLUTION_NS
        else:
            return None
        if at_ns < self._new_year_before_ns:
            at_ns += YEAR_NS
        return Moment(at_ns=at_ns, resolution_ns=resolution_ns)


def choose_axis(artefact: str, lines: Iterable[LogLine]) -> Axis:
    """The clock to read these lines by."""
    lines = list(lines)
    outer = [line for line in lines if line.outer_ns is not None]
    inner = [line for line in lines if line.engine_ns is not None]
    if not outer:
        return _engine_axis(inner) if inner else Axis(clock=None)
    both = [
        (line, line.outer_ns - line.engine_ns)
        for line in outer
        if line.outer_ns is not None and line.engine_ns is not None
    ]
    apart = [difference for _, difference in both]
    spread_ns = _spread_ns(apart)
    if spread_ns > _DRIFT_NS and not _steps_by_zones(apart):
        first, last = both[0][0], both[-1][0]
        finding = Finding(
            code="outer-stamps-drift",
            where=artefact,
            what="the stamps in front of the lines drift against vLLM's own by "
            f"{spread_ns / NS_PER_S:.0f} s; they tell when the log was "
            "flushed, so vLLM's own stamps are used",
            remedy="collect the log with `kubectl logs --timestamps` for exact times",
            evidence=(first.quoted(artefact), last.quoted(artefact)),
        )
        return replace(_engine_axis(inner), findings=(finding,))
    if len(outer) * 2 < len(lines) and len(inner) > len(outer):
        return _engine_axis(inner)
    return Axis(
        clock=Clock.OUTER,
        # vLLM's own stamp is cut to whole seconds; what they differ beyond that is not known.
        _vague_ns=max(0, min(spread_ns, _DRIFT_NS) - ENGINE_RESOLUTION_NS),
        findings=_zone(artefact, both),
        _new_year_before_ns=_new_year([line.outer_ns for line in outer]),
    )


def _steps_by_zones(apart: list[int]) -> bool:
    """Whether the two stamps differ by whole quarters of an hour only: a zone that changed."""
    steps = [(a - apart[0] + _QUARTER_NS // 2) % _QUARTER_NS - _QUARTER_NS // 2 for a in apart]
    return all(abs(step) <= _DRIFT_NS for step in steps)


def _spread_ns(apart: list[int]) -> int:
    """How far the differences of the two stamps lie apart; a whole year is none."""
    around = [(a - apart[0] + YEAR_NS // 2) % YEAR_NS for a in apart]
    return max(around) - min(around) if around else 0


def _engine_axis(lines: list[LogLine]) -> Axis:
    """The clock of vLLM's own stamps."""
    stamps = [line.engine_ns for line in lines]
    return Axis(clock=Clock.ENGINE, _new_year_before_ns=_new_year(stamps))


def _new_year(stamps: Iterable[int | None]) -> int:
    """Where stamps without a year begin anew: they then lie nearly a year apart."""
    known = [s for s in stamps if s is not None and s < YEAR_NS + DAY_NS]
    wraps = len(known) > 1 and max(known) - min(known) > YEAR_NS // 2
    return YEAR_NS // 2 if wraps else 0


def _zone(artefact: str, both: list[tuple[LogLine, int]]) -> tuple[Finding, ...]:
    """A constant difference between the two stamps, less whole days since whatever year."""
    if not both:
        return ()
    apart = median_low(difference % DAY_NS for _, difference in both)
    apart = apart - DAY_NS if apart > DAY_NS // 2 else apart
    if abs(apart) < _ZONE_NS:
        return ()
    return (
        Finding(
            code="stamps-in-two-zones",
            where=artefact,
            what="the stamps in front of the lines and vLLM's own are "
            f"{abs(apart) / 3600 / NS_PER_S:.2g} h apart, always; the front ones are used",
            remedy="none is needed; set TZ in the container if the two should agree",
            evidence=(both[0][0].quoted(artefact),),
        ),
    )
