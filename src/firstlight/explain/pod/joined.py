"""
A pod's story and its engine's log, side by side.

The story ends where the container starts, and is taken up again when the pod is Ready;
the log tells what lies between. Their clocks are one host's, the node's.
"""

from collections.abc import Sequence
from dataclasses import replace

from firstlight.core.activities import Activity
from firstlight.core.findings import Finding
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.starts import Fact, Placement, Transfer
from firstlight.core.units import seconds
from firstlight.explain.moments import Moments
from firstlight.explain.pod.readiness import (
    advise,
    kills_too_early,
    lag_name,
    readiness_finding,
)
from firstlight.explain.pod.story import PodStory


def engine_marks(story: PodStory) -> list[Mark]:
    """The story's marks that the engine's phases begin or end with."""
    marks = []
    if story.started is not None:
        marks.append(replace(story.started, kind=MarkKind.PROCESS_STARTED))
    if story.restored is not None:
        marks.append(story.restored)
    if story.ready is not None:
        marks.append(story.ready)
    return marks


def ends_of(story: PodStory, server_up: Mark | None) -> tuple[Mark | None, Mark | None]:
    """The two ends of the pod's start; where nobody tells of Ready, its server's line ends it."""
    return story.begins, story.ready if story.is_ready is not None else server_up


def pod_activities(story: PodStory | None, moments: Moments) -> list[Activity]:
    """Names for the stretches outside the engine."""
    if story is None:
        return []
    named = list(story.activities)
    up, ready = moments.get(MarkKind.SERVER_UP), moments.get(MarkKind.POD_READY)
    if up and ready and ready.at_ns > up.at_ns:
        named.append(_between(lag_name(story.subject.container), up, ready))
    if story.restored and story.started:
        named.append(_between("restored from a snapshot", story.started, story.restored))
    return named


def placement_with(story: PodStory, moments: Moments) -> Placement:
    """Where the start happened, with what its probes did and should do."""
    return replace(
        story.placement,
        readiness_lag_ns=_lag_ns(moments),
        probe=advise(story.subject, _up_after_ns(moments)),
    )


def pod_findings(story: PodStory, moments: Moments) -> tuple[Finding, ...]:
    """What the pod's objects are worth saying about."""
    up_after_ns = _up_after_ns(moments)
    advice = advise(story.subject, up_after_ns)
    return (
        *story.findings,
        *_no_log(story, moments),
        *_late_log(story, moments),
        *_not_ready(story, moments),
        *readiness_finding(story.subject, _lag_ns(moments), advice),
        *kills_too_early(story.subject, up_after_ns),
    )


def _no_log(story: PodStory, moments: Moments) -> tuple[Finding, ...]:
    """A container that ran, and whose own words nobody gave."""
    engine = set(moments.marks) - {MarkKind.PROCESS_STARTED, MarkKind.POD_READY}
    if engine or story.started is None or not story.subject.pod.name:
        return ()
    container = f" -c {story.container_name}" if story.container_name else ""
    return (
        Finding(
            code="no-engine-log",
            where=story.subject.place,
            what="no log of the engine's container was given, or nothing in it could be placed: "
            "what happened inside is unexplained",
            remedy=f"add `kubectl logs {story.subject.pod.name}{container} --timestamps`",
        ),
    )


def _late_log(story: PodStory, moments: Moments) -> tuple[Finding, ...]:
    """A log that begins in the middle of the start: the kubelet rotates it at ten megabytes."""
    working = [
        moments.get(kind)
        for kind in (MarkKind.LOAD_BEGINS, MarkKind.WEIGHTS_IN_PLACE, MarkKind.ENGINE_READY)
    ]
    known = next((m for m in working if m), None)
    if story.started is None or known is None or moments.get(MarkKind.LOAD_BEGINS):
        return ()
    return (
        Finding(
            code="log-begins-late",
            where=story.subject.place,
            what="the log does not show where the engine begins to load its weights: its first "
            "lines are missing, so the time before is unexplained",
            remedy="capture sooner, raise the kubelet's containerLogMaxSize, or lower "
            "VLLM_LOGGING_LEVEL",
            evidence=(known.evidence,),
        ),
    )


def _not_ready(story: PodStory, moments: Moments) -> tuple[Finding, ...]:
    """A server that is up by its own word, in a pod that is not Ready."""
    up = moments.served
    if story.is_ready is not False or up is None:
        return ()
    failed = story.subject.first("Unhealthy", container=story.container_name or None)
    why = f": {failed.message}" if failed else ""
    return (
        Finding(
            code="serves-and-is-not-ready",
            where=story.subject.place,
            what=f"the server is up by its own log and the pod is not Ready{why}",
            remedy="compare the probe's port and path with what the server listens on "
            "(`/health` on the port of --port)",
            evidence=(up, failed.evidence) if failed else (up,),
        ),
    )


def image_facts(story: PodStory) -> tuple[Fact, ...]:
    """The size of the engine's image, from the event of its pull or from its node."""
    arrival = story.engine_arrival
    if arrival is not None and arrival.pull and arrival.pull_evidence:
        told = arrival.pull.image_bytes
        if told is not None:
            return (Fact(printed=str(told), evidence=arrival.pull_evidence),)
    node, container = story.subject.node, story.subject.container
    if node is not None and container is not None:
        for name in (container.image_id, container.image):
            if size := node.image_bytes.get(name):
                return (Fact(printed=str(size), evidence=node.image_evidence(name)),)
    return ()


def image_transfers(story: PodStory, link_gbps: float | None) -> Sequence[Transfer]:
    """How fast the engine's image came, unpacking included."""
    arrival, sizes = story.engine_arrival, image_facts(story)
    if arrival is None or not sizes or not arrival.pull_begins or not arrival.pull_ends:
        return ()
    spent_ns = arrival.pull_ends.at_ns - arrival.pull_begins.at_ns
    if arrival.pull and arrival.pull.pull_ns:
        spent_ns = arrival.pull.pull_ns
    if spent_ns <= 0:
        return ()
    return (
        Transfer(
            what="image, pulled and unpacked",
            bytes_=int(sizes[0].printed),
            seconds=seconds(spent_ns),
            link_gbps=link_gbps,
            evidence=(arrival.pull_begins.evidence, arrival.pull_ends.evidence),
        ),
    )


def _up_after_ns(moments: Moments) -> int | None:
    """From the container's start until its server was up."""
    started, up = moments.get(MarkKind.PROCESS_STARTED), moments.get(MarkKind.SERVER_UP)
    return up.at_ns - started.at_ns if started and up else None


def _lag_ns(moments: Moments) -> int | None:
    up, ready = moments.get(MarkKind.SERVER_UP), moments.get(MarkKind.POD_READY)
    return max(ready.at_ns - up.at_ns, 0) if up and ready else None


def _between(name: str, begins: Mark, ends: Mark) -> Activity:
    return Activity(
        path=(name,),
        depth=0,
        start_ns=begins.at_ns,
        end_ns=ends.at_ns,
        uncertainty_ns=begins.resolution_ns + ends.resolution_ns,
        evidence=(begins.evidence, ends.evidence),
    )
