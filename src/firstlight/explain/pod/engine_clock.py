"""
Placing a container's log on the pod's axis.

CRI stamps are Unix time by the node's clock: they fit. vLLM's own stamps have neither
a year nor a zone; they fit after a shift by whole years and quarters of an hour, and
only where the first line then comes right behind the container's start and the last one
not after Ready. Found or not, it is said.
"""

from collections.abc import Sequence
from dataclasses import replace

from firstlight.core.findings import Finding
from firstlight.core.marks import Clock, Mark
from firstlight.core.units import NS_PER_S
from firstlight.explain.axis import Axis
from firstlight.readers.log_line import LogLine
from firstlight.readers.stamps import DAY_NS

_QUARTER_NS = 900 * NS_PER_S
_SLACK_NS = 2 * NS_PER_S


def placed(
    axis: Axis,
    artefact: str,
    lines: Sequence[LogLine],
    started: Mark | None,
    until: Mark | None = None,
) -> Axis:
    """The axis in Unix time; without a clock where the lines cannot be placed.

    Args:
        axis: as the lines alone tell it.
        artefact: the log's name.
        lines: those of one start.
        started: when the container started.
        until: when the start was over, where that is known.
    """
    if axis.clock is not Clock.ENGINE:
        return axis
    own = [line for line in lines if line.engine_ns is not None]
    stamps = [line.engine_ns for line in own if line.engine_ns is not None]
    found = _shift(stamps, started, until) if started and stamps else None
    if found is None or started is None:
        return _unplaced(axis, artefact)
    shift_ns, zone_h = found
    behind_ns = stamps[0] + shift_ns - started.at_ns
    finding = Finding(
        code="own-stamps-placed",
        where=artefact,
        what="the log has only vLLM's own stamps, without year and zone: its first line was put "
        f"{behind_ns / NS_PER_S:.0f} s behind the container's start"
        + (f" (a zone {zone_h:+g} h from UTC)" if zone_h else ""),
        remedy="collect the log with `kubectl logs --timestamps`, which leaves no doubt",
        evidence=(own[0].quoted(artefact),),
    )
    return replace(axis, shift_ns=shift_ns, findings=(*axis.findings, finding))


def _shift(stamps: Sequence[int], started: Mark, until: Mark | None) -> tuple[int, float] | None:
    """What to add to the stamps, and the zone that implies; None where nothing fits.

    UTC, which nearly every container has, goes before all other zones.
    """
    fitting: list[tuple[bool, int, int, float]] = []
    for quarters in range(-48, 57):
        zone_ns = quarters * _QUARTER_NS
        days = round((started.at_ns - stamps[0] + zone_ns) / DAY_NS)
        shift_ns = days * DAY_NS - zone_ns
        behind_ns = stamps[0] + shift_ns - started.at_ns
        late = until is not None and max(stamps) + shift_ns > until.at_ns + _SLACK_NS
        if -_SLACK_NS <= behind_ns < _QUARTER_NS and not late:
            fitting.append((quarters != 0, behind_ns, shift_ns, quarters / 4))
    return min(fitting)[2:] if fitting else None


def _unplaced(axis: Axis, artefact: str) -> Axis:
    finding = Finding(
        code="log-not-placed",
        where=artefact,
        what="the log has only vLLM's own stamps and nobody tells when its container started: "
        "it cannot be laid beside the pod's",
        remedy="collect the log with `kubectl logs --timestamps`",
    )
    return Axis(clock=None, findings=(*axis.findings, finding))
