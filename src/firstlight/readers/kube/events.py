"""
An event, by either of its APIs.

core/v1 counts repeats in `count` with `firstTimestamp` and `lastTimestamp`, in whole
seconds; the scheduler and all who use events.k8s.io/v1 give `eventTime` in microseconds
and `series` instead. Each API shows the other's events with its own names for the same
fields (`note`, `regarding`, `deprecatedCount`), so any mixture of them is one event.

The name of an event ends in the Unix nanoseconds of its first occurrence, in hexadecimal,
where client-go made it. Other emitters name events as they like, so a name only counts
beside a stamp of the same event that agrees with it.
"""

import re
from collections.abc import Mapping
from typing import Any

from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.event_clocks import event_clock
from firstlight.readers.kube.fields import mapping, natural, text, within
from firstlight.readers.kube.metadata import created_of, name_of
from firstlight.readers.kube.model import Event, Stamp
from firstlight.readers.kube.printed_moments import named_ns
from firstlight.readers.kube.stamps import Origin

_CONTAINER = re.compile(r"spec\.\w*[cC]ontainers\{([^{}]*)\}")


def read_event(obj: Mapping[str, Any], origin: Origin) -> Event | None:
    """The event; None where it says neither a reason nor a message."""
    reason = text(obj.get("reason"))
    message = text(obj.get("message")) or text(obj.get("note"))
    if not reason and not message:
        return None
    about = mapping(obj.get("involvedObject")) or mapping(obj.get("regarding"))
    component = _component(obj)
    clock = event_clock(component, reason)
    container = _CONTAINER.match(text(about.get("fieldPath")))
    return Event(
        reason=reason,
        message=message,
        kind=text(about.get("kind")),
        name=text(about.get("name")),
        namespace=text(about.get("namespace")),
        uid=text(about.get("uid")),
        container=container[1] if container else "",
        type=text(obj.get("type")),
        component=component,
        first=_first(obj, origin, clock),
        last=_last(obj, origin, clock),
        count=_count(obj),
        recorded=created_of(obj, origin),
        evidence=origin.evidence("", ": ".join(filter(None, [reason, message]))),
    )


def _component(obj: Mapping[str, Any]) -> str:
    said = (
        within(obj, "source", "component"),
        within(obj, "deprecatedSource", "component"),
        obj.get("reportingComponent"),
        obj.get("reportingController"),
    )
    return next(filter(None, map(text, said)), "")


def _count(obj: Mapping[str, Any]) -> int:
    """The most that any of the fields says: the API fills in the others with zeros."""
    said = (obj.get("count"), obj.get("deprecatedCount"), within(obj, "series", "count"))
    return max(1, *(natural(number) or 0 for number in said))


def _last(obj: Mapping[str, Any], origin: Origin, clock: Clock) -> Stamp | None:
    series = mapping(obj.get("series"))
    return (
        origin.stamp(series, "lastObservedTime", clock, within="series")
        or origin.stamp(obj, "lastTimestamp", clock)
        or origin.stamp(obj, "deprecatedLastTimestamp", clock)
    )


def _first(obj: Mapping[str, Any], origin: Origin, clock: Clock) -> Stamp | None:
    """The moment in the event's name where a stamp agrees with it, else that stamp."""
    fine = origin.stamp(obj, "eventTime", clock)
    coarse = origin.stamp(obj, "firstTimestamp", clock) or origin.stamp(
        obj, "deprecatedFirstTimestamp", clock
    )
    stamp = fine or coarse
    at_ns = named_ns(name_of(obj))
    if stamp is None or at_ns is None:
        return stamp
    # The scheduler names an event a moment after it has stamped it; a whole second is cut off.
    if fine and abs(at_ns - fine.at_ns) >= NS_PER_S:
        return stamp
    if coarse and not 0 <= at_ns - coarse.at_ns < coarse.resolution_ns:
        return stamp
    return Stamp(
        at_ns=at_ns,
        resolution_ns=1,
        clock=clock,
        evidence=origin.evidence(
            "metadata.name", f'name: "{name_of(obj)}" (agrees with {stamp.evidence.text})'
        ),
    )
