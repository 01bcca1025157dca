"""
Which clock to believe, and how exactly.

A line may carry two stamps: vLLM's own (whole seconds, container time, no zone)
and one that a runtime put in front (finer, a date, a zone). The outer one is
better, unless it tells when a log was flushed instead of when a line was
written: then it stands still, or drifts away from the inner one, and the inner
one is right. A constant difference is only a zone. Nothing is moved silently:
what was found is a finding.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.log_line import LogLine
from firstlight.readers.stamps import ENGINE_RESOLUTION_NS, YEAR_NS

_DRIFT_NS = 5 * NS_PER_S
"""Two stamps of one line may differ by buffering; by more than this, one lies."""
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
    _wrap_after_ns: int = 0

    def moment(self, line: LogLine) -> Moment | None:
        """When the line was written; None where it carries no stamp of this clock."""
        if self.clock is Clock.OUTER and line.outer_ns is not None:
            return Moment(at_ns=line.outer_ns, resolution_ns=line.outer_resolution_ns)
        if self.clock is Clock.ENGINE and line.engine_ns is not None:
            at_ns = line.engine_ns
            if self._wrap_after_ns and at_ns < self._wrap_after_ns:
                at_ns += YEAR_NS
            return Moment(at_ns=at_ns, resolution_ns=ENGINE_RESOLUTION_NS)
        return None


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
    # The inner stamp counts from 1 January of no year: only the spread is meaningful
    # before the whole years are taken out.
    apart = [difference for _, difference in both]
    if apart and max(apart) - min(apart) > _DRIFT_NS and len(inner) >= len(both):
        first, last = both[0][0], both[-1][0]
        finding = Finding(
            code="outer-stamps-drift",
            where=artefact,
            what="the stamps in front of the lines drift against vLLM's own by "
            f"{(max(apart) - min(apart)) / NS_PER_S:.0f} s; they tell when the log was "
            "flushed, so vLLM's own stamps are used",
            remedy="collect the log with `kubectl logs --timestamps` for exact times",
            evidence=(_quote(artefact, first), _quote(artefact, last)),
        )
        return Axis(
            clock=Clock.ENGINE,
            findings=(finding,),
            _wrap_after_ns=_engine_axis(inner)._wrap_after_ns,
        )
    if len(outer) * 2 < len(lines) and len(inner) > len(outer):
        return _engine_axis(inner)
    return Axis(clock=Clock.OUTER, findings=_zone(artefact, both))


def _engine_axis(lines: list[LogLine]) -> Axis:
    """vLLM's own stamps; a log that crosses New Year's Eve has its new year moved behind."""
    stamps = [line.engine_ns for line in lines if line.engine_ns is not None]
    wraps = max(stamps) - min(stamps) > YEAR_NS // 2
    return Axis(clock=Clock.ENGINE, _wrap_after_ns=YEAR_NS // 2 if wraps else 0)


def _zone(artefact: str, both: list[tuple[LogLine, int]]) -> tuple[Finding, ...]:
    """A constant difference between the two stamps, less whole days since whatever year."""
    if not both:
        return ()
    day_ns = 86400 * NS_PER_S
    apart = int(median(difference for _, difference in both)) % day_ns
    apart = apart - day_ns if apart > day_ns // 2 else apart
    if abs(apart) < _ZONE_NS:
        return ()
    return (
        Finding(
            code="stamps-in-two-zones",
            where=artefact,
            what="the stamps in front of the lines and vLLM's own are "
            f"{abs(apart) / 3600 / NS_PER_S:.2g} h apart, always; the front ones are used",
            remedy="none is needed; set TZ in the container if the two should agree",
            evidence=(_quote(artefact, both[0][0]),),
        ),
    )


def _quote(artefact: str, line: LogLine) -> Evidence:
    return Evidence(artefact=artefact, line=line.number, text=line.text)
