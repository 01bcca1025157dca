"""
From a pod's creation to its binding, less the making of its node.

The scheduler says each time why it could not place the pod. Its words name the time
from there to its next ones; the time before its first word, and the time of a pod that
it could place at once, is its own.
"""

import re
from collections.abc import Iterator, Sequence

from firstlight.core.activities import Activity, between
from firstlight.core.attribution import PhaseWindow
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.core.starts import Failure
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.timing import event_mark

_AVAILABLE = re.compile(r"^\d+/\d+ nodes are available: ")
_COUNT = re.compile(r"^\d+ ")
_WAITS = ("FailedScheduling", "Nominated", "TriggeredScaleUp", "NotTriggerScaleUp")


def scheduling_windows(
    begins: Mark, scheduled: Mark, node: PhaseWindow | None, apart_ns: int
) -> Iterator[PhaseWindow]:
    """The stretches of scheduling around the making of a node, and that making itself."""
    if node is None:
        yield PhaseWindow(phase=Phase.SCHEDULING, begins=begins, ends=scheduled, skew_ns=apart_ns)
        return
    yield PhaseWindow(phase=Phase.SCHEDULING, begins=begins, ends=node.begins)
    yield node
    yield PhaseWindow(phase=Phase.SCHEDULING, begins=node.ends, ends=scheduled, skew_ns=apart_ns)


def scheduling_names(
    subject: Subject, begins: Mark, scheduled: Mark, node: PhaseWindow | None
) -> Iterator[Activity]:
    """Names for what the pod waited for."""
    points = [(begins, "scheduler"), *_said(subject, _WAITS, begins, scheduled)]
    if node is not None:
        # What was said while the node was made is about that; now there is one.
        points = [p for p in points if p[0].at_ns < node.begins.at_ns] or points[:1]
        points.append((node.ends, "node there, pod not yet bound"))
        points += _said(subject, ("FailedScheduling",), node.ends, scheduled)
    yield from _in_turn(points, scheduled)


def _said(
    subject: Subject, reasons: Sequence[str], begins: Mark, ends: Mark
) -> Iterator[tuple[Mark, str]]:
    """What was said between two marks, each with what it says the pod waits for."""
    for event in subject.said(*reasons):
        waits = event_mark(MarkKind.UNSCHEDULABLE, event)
        if waits is not None and begins.at_ns <= waits.at_ns < ends.at_ns:
            yield waits, _words(event.reason, event.message)


def _in_turn(points: Sequence[tuple[Mark, str]], scheduled: Mark) -> Iterator[Activity]:
    ends = [point for point, _ in points[1:]] + [scheduled]
    for (begin, name), end in zip(points, ends, strict=True):
        yield from between(begin, end, name)


def _words(reason: str, message: str) -> str:
    if reason in ("Nominated", "TriggeredScaleUp"):
        return "waiting for a new node"
    return f"unschedulable: {why(message)}"


def why(message: str) -> str:
    """The scheduler's reasons, without its counts of nodes."""
    said = _AVAILABLE.sub("", message).split(". ")[0].rstrip(".")
    reasons = [_COUNT.sub("", part) for part in said.split(", ")]
    if gpu := [r for r in reasons if "gpu" in r.lower()]:
        return gpu[0]
    return reasons[0] if reasons and reasons[0] else "no node fits"


_UNINITIALIZED = re.compile(r"uninitialized nodeclaim/")


def never_scheduled(subject: Subject) -> Failure | None:
    """A pod that would fit on a node which is there and never comes to life."""
    for event in subject.said("FailedScheduling"):
        if _UNINITIALIZED.search(event.message):
            return Failure(
                kind="node_not_initialized",
                message=f"the node made for the pod is not initialised: {event.message}",
                evidence=(event.evidence,),
            )
    return None
