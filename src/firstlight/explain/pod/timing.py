"""
Marks from what the cluster stamped.

Two hosts write a pod's stamps: the control plane and the node. The container's log
lines carry the node's clock too. Which of the two wrote a stamp is all that matters
here; how far they may be apart is `skew`.
"""

from dataclasses import replace

from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.readers.kube.model import Event, Stamp


def mark(kind: MarkKind, stamp: Stamp) -> Mark:
    """The stamp as a mark of this kind."""
    return Mark(
        kind=kind,
        at_ns=stamp.at_ns,
        resolution_ns=stamp.resolution_ns,
        clock=stamp.clock,
        evidence=stamp.evidence,
    )


def event_mark(kind: MarkKind, event: Event | None) -> Mark | None:
    """When an event first happened, in its own words; None where it does not say when."""
    if event is None or event.first is None:
        return None
    place = event.first.evidence.path
    told = replace(mark(kind, event.first), evidence=event.evidence)
    return replace(told, evidence=replace(event.evidence, path=place)) if place else told


def same_host(one: Clock, other: Clock) -> bool:
    """Whether two clocks are one host's."""
    return (one is Clock.CONTROL_PLANE) == (other is Clock.CONTROL_PLANE)


def later(stamp: Stamp, other: Stamp) -> bool:
    """Whether the stamp is later for certain, whatever its clock cut off."""
    return stamp.at_ns >= other.at_ns + other.resolution_ns


def finest(coarse: Stamp | None, fine: Stamp | None, *, within_ns: int) -> Stamp | None:
    """The finer of two stamps of one moment; the coarse one where they disagree."""
    if coarse is None or fine is None:
        return coarse or fine
    near = -within_ns <= fine.at_ns - coarse.at_ns <= coarse.resolution_ns + within_ns
    return fine if near and fine.resolution_ns < coarse.resolution_ns else coarse
