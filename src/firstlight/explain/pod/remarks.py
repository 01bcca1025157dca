"""
What is worth knowing about a pod's way to its engine.
"""

from collections.abc import Sequence

from firstlight.core.findings import Finding
from firstlight.core.units import NS_PER_S
from firstlight.explain.pod.containers import Arrival
from firstlight.explain.pod.subject import Subject
from firstlight.readers.kube.model import ContainerKind, Run

_LONG_NS = 5 * NS_PER_S


def pulled_after_init(subject: Subject, found: Sequence[Arrival]) -> tuple[Finding, ...]:
    """The big image waits for the initContainers: their seconds come before its own."""
    engine = found[-1]
    inits = [a for a in found if a.kind is ContainerKind.INIT and a.started and a.ended]
    if not inits or engine.pull_begins is None or engine.pull_ends is None:
        return ()
    spent_ns = sum(a.ended.at_ns - a.started.at_ns for a in inits if a.started and a.ended)
    if min(spent_ns, engine.pull_ends.at_ns - engine.pull_begins.at_ns) < _LONG_NS:
        return ()
    names = ", ".join(a.name for a in inits)
    return (
        Finding(
            code="pull-waits-for-init",
            where=subject.place,
            what=f"the engine's image was pulled only after the initContainers ({names}, "
            f"{spent_ns / NS_PER_S:.1f} s) had ended; the two do not overlap",
            remedy="have the image on the node before (pre-pull, node image), or move that work "
            "beside the engine's own start",
            evidence=(engine.pull_begins.evidence,),
        ),
    )


def without_events(subject: Subject, found: Sequence[Arrival]) -> tuple[Finding, ...]:
    """A pod older than its events: what they would have told is unexplained."""
    engine = found[-1]
    kubelet = any(a.pull or a.pull_begins or a.created for a in found)
    if kubelet or engine.started is None or not subject.pod.name:
        return ()
    return (
        Finding(
            code="no-pod-events",
            where=subject.place,
            what="no kubelet event of this pod is left (a cluster keeps them for an hour), so "
            "image pull and container set-up cannot be told apart",
            remedy="capture within the hour, or start again with `firstlight measure`",
        ),
    )


def unplaced_events(subject: Subject) -> tuple[Finding, ...]:
    """Ages of a table that cannot be laid beside stamps."""
    if not subject.unplaced:
        return ()
    return (
        Finding(
            code="ages-not-placed",
            where=subject.place,
            what=f"{len(subject.unplaced)} events say only how long ago they were, and nobody says "
            "when that was: they are left out",
            remedy="give the time of the capture as --captured-at, or save events with "
            "`kubectl get events -o json`",
            evidence=(subject.unplaced[0].evidence,),
        ),
    )


def restarted(subject: Subject, before: Run | None) -> tuple[Finding, ...]:
    """A container that did not start for the first time."""
    container = subject.container
    if container is None:
        return ()
    times = "once" if container.restarts == 1 else f"{container.restarts} times"
    ended = ""
    if before is not None and before.exit_code is not None:
        ended = f"; the run before ended with exit code {before.exit_code}"
        ended += f" ({before.reason})" if before.reason else ""
    return (
        Finding(
            code="container-restarted",
            where=subject.place,
            what=f"the container was restarted {times}{ended}: this start is the last one only",
            remedy="give the log of the run before too (`kubectl logs --previous`)",
            evidence=(before.evidence,) if before and before.evidence else (),
        ),
    )
