"""
Rows of a table as events.

Rows of one table, or of one description, count back from one moment: what the caller
says, or what the group's own stamps prove, or what another group of the same text
proves. Else ages stay ages; but where some rows of a text have stamps, an age without a
moment is dropped, because two kinds of time cannot stand in one list.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.readers.kube.capture_moment import Anchor, Capture, agrees, worked_out
from firstlight.readers.kube.event_clocks import event_clock
from firstlight.readers.kube.event_rows import Row
from firstlight.readers.kube.model import Container, Event, Node, NodeClaim, Pod, Stamp, Workload
from firstlight.readers.kube.printed_moments import Printed

Described = Pod | Node | NodeClaim | Workload

_AGREES_NS = 2_000_000_000
"""An event's name and its age are written by one host, and the age is cut to a second."""


def row_events(
    artefact: str,
    rows: Sequence[tuple[int, Row]],
    described: Mapping[int, Described],
    captured_ns: int | None,
    *,
    has_others: bool,
) -> tuple[Event, ...]:
    """The events; all stamps count back from an unknown moment where nothing tells it.

    Args:
        artefact: its name, for evidence.
        rows: each with the number of its group.
        described: what a group of rows stands below.
        captured_ns: when the text was saved, if somebody knows.
        has_others: whether the text has other events, with stamps.
    """
    captures = _captures(rows, described, captured_ns)
    absolute = has_others or any(_has_stamp(r, captures.get(g)) for g, r in rows)
    ages = any(_has_age(r) and captures.get(g) is None for g, r in rows)
    relative = ages and not absolute
    return tuple(_event(artefact, r, captures.get(g), relative=relative) for g, r in rows)


def _captures(
    rows: Sequence[tuple[int, Row]], described: Mapping[int, Described], captured_ns: int | None
) -> dict[int, Capture]:
    """The moment of capture for each group that has one."""
    groups: dict[int, list[Row]] = {}
    for group, row in rows:
        groups.setdefault(group, []).append(row)
    if captured_ns is not None:
        return dict.fromkeys(groups, Capture(at_ns=captured_ns))
    anchors = {g: [*_anchors(described.get(g), members)] for g, members in groups.items()}
    shared = worked_out(anchor for several in anchors.values() for anchor in several)
    own: dict[int, Capture] = {}
    for group, several in anchors.items():
        # One command describes many objects; two commands were minutes apart.
        one_sitting = shared is not None and agrees(shared, several)
        if capture := shared if one_sitting else worked_out(several):
            own[group] = capture
    if not own:
        return {}
    other = shared or next(iter(own.values()))
    return {group: own.get(group, other) for group in groups}


def _anchors(described: Described | None, rows: Iterable[Row]) -> Iterator[Anchor]:
    """Pairs of a stamp and an age that mean the same thing."""
    stamps = dict(_anchor_stamps(described))
    for row in rows:
        if row.named_ns is not None and row.first is not None:
            yield Anchor(stamp_ns=row.named_ns, age=row.first, what=f"its name, line {row.line}")
        about = row.container if row.reason == "Started" else ""
        stamp = stamps.get((row.reason, about))
        if stamp is not None and row.last is not None:
            line = stamp.evidence.line
            yield Anchor(stamp_ns=stamp.at_ns, age=row.last, what=f"{row.reason} in line {line}")


def _anchor_stamps(described: Described | None) -> Iterator[tuple[tuple[str, str], Stamp]]:
    match described:
        case NodeClaim() | Node():
            for condition in described.conditions:
                if condition.is_true and condition.transition:
                    ready = isinstance(described, Node) and condition.type == "Ready"
                    reason = "NodeReady" if ready else condition.type
                    yield (reason, ""), condition.transition
        case Pod():
            for container in described.containers:
                if started := _latest_start(container):
                    yield ("Started", container.name), started
                    if len(described.containers) == 1:
                        yield ("Started", ""), started


def _latest_start(container: Container) -> Stamp | None:
    run = container.current or container.previous
    return run.started if run else None


def _has_age(row: Row) -> bool:
    return any(m is not None and m.is_age for m in (row.first, row.last))


def _has_stamp(row: Row, capture: Capture | None) -> bool:
    told = [m for m in (row.first, row.last) if m is not None]
    return bool(told) and (capture is not None or not all(m.is_age for m in told))


def _event(artefact: str, row: Row, capture: Capture | None, *, relative: bool) -> Event:
    evidence = Evidence(artefact=artefact, line=row.line, text=row.text)
    clock = event_clock(row.component, row.reason)

    def stamp(moment: Printed | None, clock: Clock = clock) -> Stamp | None:
        return stamp_of(moment, clock, evidence, capture, relative=relative)

    told, last = stamp(row.first), stamp(row.last)
    first = _finest(row, told, last, clock, evidence, relative=relative)
    return Event(
        reason=row.reason,
        message=row.message,
        kind=row.kind,
        name=row.name,
        namespace=row.namespace,
        uid=row.uid,
        container=row.container,
        type=row.type,
        component=row.component,
        first=first,
        last=last or (first if row.count == 1 else None),
        count=row.count,
        recorded=stamp(row.recorded, Clock.CONTROL_PLANE),
        evidence=evidence,
    )


def stamp_of(
    moment: Printed | None,
    clock: Clock,
    evidence: Evidence,
    capture: Capture | None,
    *,
    relative: bool,
) -> Stamp | None:
    """The moment on the axis of this text; None where it cannot be put there."""
    if moment is None or (relative and not moment.is_age):
        return None
    at_ns, resolution_ns = moment.ns, moment.resolution_ns
    if moment.is_age and capture is not None:
        at_ns, resolution_ns = capture.at_ns - moment.ns, resolution_ns + capture.resolution_ns
        if capture.note:
            evidence = replace(evidence, text=f"{evidence.text} ({capture.note})")
    elif moment.is_age and relative:
        at_ns = -moment.ns
    elif moment.is_age:
        return None
    return Stamp(at_ns=at_ns, resolution_ns=resolution_ns, clock=clock, evidence=evidence)


def _finest(
    row: Row,
    first: Stamp | None,
    last: Stamp | None,
    clock: Clock,
    evidence: Evidence,
    *,
    relative: bool,
) -> Stamp | None:
    """The nanoseconds of the event's name where nothing contradicts them."""
    if row.named_ns is None or relative:
        return first
    named = Stamp(at_ns=row.named_ns, resolution_ns=1, clock=clock, evidence=evidence)
    against = first or (last if row.count == 1 else None)
    if against is None:
        return named if last is None else None
    away = named.at_ns - against.at_ns
    agrees = -_AGREES_NS <= away < against.resolution_ns + _AGREES_NS
    return named if agrees else first
