"""
The moment from which ages count back.

kubectl prints "70s" and does not say when it was asked. Where the same text holds the
moment of the same thing as a stamp (a condition, a container's start, the nanoseconds in
an event's name), stamp plus age is the moment of asking. Several such pairs must agree;
a capture moment that most of them contradict is none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.printed_moments import Printed

_SLACK_NS = NS_PER_S
"""An event is written up to a second later than what it reports, and both are whole seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One thing, once as a stamp and once as an age."""

    stamp_ns: int
    age: Printed
    what: str
    """`condition Launched, line 12`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """When the command was run."""

    at_ns: int
    resolution_ns: int = 0
    note: str = ""
    """How it was found out; empty where somebody said it."""


def worked_out(anchors: Iterable[Anchor]) -> Capture | None:
    """The moment on which most anchors agree; None if there is none.

    Each allows as much time as its age was cut by; what all that agree allow is left.
    """
    known = [anchor for anchor in anchors if anchor.age.is_age]
    within = _most_allowed(known)
    agreed = [a for a in known if within is not None and _allows(a, within)]
    if len(agreed) * 2 <= len(known):
        return None
    latest = max(agreed, key=_earliest_ns)
    at_ns = _earliest_ns(latest)
    until_ns = min(_earliest_ns(a) + a.age.resolution_ns for a in agreed)
    return Capture(
        at_ns=at_ns,
        resolution_ns=max(until_ns - at_ns, NS_PER_S),
        note=f"age counted back from the moment that {latest.what} gives",
    )


def agrees(capture: Capture, anchors: Sequence[Anchor]) -> bool:
    """Whether most of these anchors allow a moment."""
    allowing = sum(a.age.is_age and _allows(a, capture.at_ns) for a in anchors)
    return allowing * 2 > len(anchors)


def _most_allowed(anchors: Sequence[Anchor]) -> int | None:
    """The earliest moment that the largest number of anchors allows."""
    edges = []
    for anchor in anchors:
        asked_ns = _earliest_ns(anchor)
        edges.append((asked_ns - _SLACK_NS, 0, 1))
        edges.append((asked_ns + anchor.age.resolution_ns + _SLACK_NS, 1, -1))
    allowing, most, within = 0, 0, None
    for at_ns, _, step in sorted(edges):
        allowing += step
        if allowing > most:
            most, within = allowing, at_ns
    return within


def _earliest_ns(anchor: Anchor) -> int:
    """An age is cut, so the moment of asking lies at or after stamp plus age."""
    return anchor.stamp_ns + anchor.age.ns


def _allows(anchor: Anchor, at_ns: int) -> bool:
    earliest_ns = _earliest_ns(anchor)
    return earliest_ns - _SLACK_NS <= at_ns <= earliest_ns + anchor.age.resolution_ns + _SLACK_NS
