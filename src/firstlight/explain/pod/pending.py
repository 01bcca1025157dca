"""
A pod that is not Ready: how far it came, and what it does now.

The last thing known of it is an event, or the moment of the capture: what goes on then
has a beginning and no end, and is told up to there. Waiting is no failure: most pods of
a cold start look so for minutes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.moments import rfc3339
from firstlight.core.phases import Phase
from firstlight.core.units import NS_PER_S
from firstlight.explain.pod.containers import Arrival
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.timing import mark
from firstlight.readers.kube.model import ContainerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """The phase before the engine's start in which a pod is; empty behind it."""

    phase: Phase | None = None
    since: Mark | None = None
    name: str = ""


def last_of(subject: Subject) -> Mark | None:
    """The last thing known of a pod: its last event, or the capture."""
    stamps = [s for e in subject.events for s in (e.first, e.last) if s is not None]
    marks = [mark(MarkKind.LAST_LOG_LINE, s) for s in stamps]
    if subject.captured_ns is not None:
        at = f"captured at {rfc3339(subject.captured_ns)}"
        marks.append(
            Mark(
                kind=MarkKind.LAST_LOG_LINE,
                at_ns=subject.captured_ns,
                resolution_ns=NS_PER_S,
                clock=Clock.CONTROL_PLANE,
                evidence=Evidence(artefact="the capture", text=at),
            )
        )
    return max(marks, key=lambda m: m.at_ns, default=None)


def pending(
    subject: Subject, found: Iterable[Arrival], asked: Mark | None, bound: Mark | None
) -> Pending:
    """What the pod waits for, and since when."""
    if bound is None:
        return Pending(phase=Phase.SCHEDULING, since=asked)
    at = bound
    for arrival in found:
        image = arrival.image or arrival.name
        if arrival.pull_begins and not arrival.pull_ends and not arrival.started:
            failed = subject.first("Failed", container=arrival.name or None)
            state = "failed, tried again" if failed else "not finished"
            return Pending(
                phase=Phase.IMAGE_PULL,
                since=arrival.pull_begins,
                name=f"{arrival.name}: {image} ({state})",
            )
        if arrival.started is None:
            return Pending(
                phase=Phase.CONTAINER_SETUP,
                since=arrival.pull_ends or at,
                name=f"{arrival.name or 'the container'} has not started{_why(subject, arrival)}",
            )
        if arrival.kind is ContainerKind.INIT and arrival.ended is None:
            return Pending(
                phase=Phase.INIT_CONTAINERS,
                since=arrival.started,
                name=f"{arrival.name} (not finished)",
            )
        at = arrival.ended or arrival.started
    return Pending()


def _why(subject: Subject, arrival: Arrival) -> str:
    containers = [c for c in subject.pod.containers if c.name == arrival.name]
    reason = containers[0].waiting_reason if containers else ""
    # What every container says that nobody has come to yet.
    return (
        f": {reason}" if reason and reason not in ("PodInitializing", "ContainerCreating") else ""
    )


def waiting(subject: Subject, bound: Mark | None) -> tuple[Finding, ...]:
    """A pod that nobody has bound, in the scheduler's last words."""
    if bound is not None:
        return ()
    said = subject.said("FailedScheduling")
    condition = subject.pod.condition("PodScheduled")
    if said:
        words, evidence = said[-1].message, (said[-1].evidence,)
    elif condition is not None and condition.status == "False" and condition.transition:
        words, evidence = condition.message or condition.reason, (condition.transition.evidence,)
    else:
        return ()
    return (
        Finding(
            code="waits-for-a-node",
            where=subject.place,
            what=f"no node takes the pod: {words}",
            remedy="see whether a node is on its way (`kubectl get nodeclaims,nodes`), or what the "
            "pod asks for that none has",
            evidence=evidence,
        ),
    )
