"""
Placing a container's log on the pod's axis.

CRI stamps are Unix time by the node's clock: they fit. vLLM's own stamps have neither
a year nor a zone; they fit after a shift by whole years and quarters of an hour, and
only if exactly one such shift puts the first line between the container's start and
its end. Found or not, it is said.
"""

from collections.abc import Sequence
from dataclasses import replace

from firstlight.core.findings import Finding
from firstlight.core.marks import Clock, Mark
from firstlight.core.units import NS_PER_S
from firstlight.explain.axis import Axis
from firstlight.readers.log_line import LogLine

_QUARTER_NS = 900 * NS_PER_S
_SLACK_NS = 2 * NS_PER_S


def placed(axis: Axis, artefact: str, lines: Sequence[LogLine], started: Mark | None) -> Axis:
    """The axis in Unix time; without a clock where the lines cannot be placed.

    Args:
        axis: as the lines alone tell it.
        artefact: the log's name.
        lines: those of one start.
        started: when the container started.
    """
    if axis.clock is not Clock.ENGINE:
        return axis
    first = next((line for line in lines if line.engine_ns is not None), None)
    if first is None or first.engine_ns is None or started is None:
        return _unplaced(axis, artefact)
    # The engine speaks some seconds after its container started, and well within a quarter.
    behind_ns = (first.engine_ns - started.at_ns + _SLACK_NS) % _QUARTER_NS - _SLACK_NS
    shift_ns = started.at_ns + behind_ns - first.engine_ns
    zone_h = _zone_hours(shift_ns)
    finding = Finding(
        code="own-stamps-placed",
        where=artefact,
        what="the log has only vLLM's own stamps, without year and zone: its first line was put "
        f"{behind_ns / NS_PER_S:.0f} s behind the container's start"
        + (f" (a zone {zone_h:+g} h from UTC)" if zone_h else ""),
        remedy="collect the log with `kubectl logs --timestamps`, which leaves no doubt",
        evidence=(first.quoted(artefact),),
    )
    return replace(axis, shift_ns=shift_ns, findings=(*axis.findings, finding))


def _unplaced(axis: Axis, artefact: str) -> Axis:
    finding = Finding(
        code="log-not-placed",
        where=artefact,
        what="the log has only vLLM's own stamps and nobody tells when its container started: "
        "it cannot be laid beside the pod's",
        remedy="collect the log with `kubectl logs --timestamps`",
    )
    return Axis(clock=None, findings=(*axis.findings, finding))


def _zone_hours(shift_ns: int) -> float:
    """The zone that the shift implies: what is left of it beside whole days since a new year."""
    day_ns = 86400 * NS_PER_S
    rest_ns = -shift_ns % day_ns
    rest_ns = rest_ns - day_ns if rest_ns > day_ns // 2 else rest_ns
    return round(rest_ns / _QUARTER_NS) / 4
