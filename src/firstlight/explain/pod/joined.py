"""
A pod's story and its engine's log, side by side.

The story ends where the container starts, and is taken up again when the pod is Ready;
the log tells what lies between. Their clocks are one host's, the node's.
"""

from collections.abc import Sequence
from dataclasses import replace

from firstlight.core.activities import Activity, between
from firstlight.core.findings import Finding
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.starts import IMAGE, Fact, Placement, Transfer
from firstlight.core.units import NS_PER_S, seconds
from firstlight.explain.moments import Moments
from firstlight.explain.pod.readiness import (
    advise,
    kills_too_early,
    lag_of,
    readiness_finding,
)
from firstlight.explain.pod.story import PodStory
from firstlight.explain.pod.timing import same_host

_MOST_APART_NS = 5 * NS_PER_S


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


def believed(story: PodStory, moments: Moments) -> tuple[PodStory, Moments]:
    """The two with a moment of Ready that fits the log, or without one.

    Ready is stamped in whole seconds and the server's line is not: within that second Ready
    came after the line. Much later than the probes explain it tells of another time.
    """
    up, ready = moments.get(MarkKind.SERVER_UP), story.ready
    if up is None or ready is None:
        return story, moments
    if ready.at_ns < up.at_ns < ready.at_ns + ready.resolution_ns:
        ready = replace(ready, at_ns=up.at_ns)
        marks = {**moments.marks, MarkKind.POD_READY: ready}
        return replace(story, ready=ready), replace(moments, marks=marks)
    if ready.at_ns > up.at_ns and lag_of(story.subject, story.started, up, ready).is_believed:
        return story, moments
    marks = {kind: m for kind, m in moments.marks.items() if kind is not MarkKind.POD_READY}
    finding = Finding(
        code="ready-does-not-fit",
        where=story.subject.place,
        what=f"Ready is stamped {(ready.at_ns - up.at_ns) / NS_PER_S:.0f} s after the server was "
        "up, and nothing explains that: a readiness that was lost and came back moves the stamp, "
        "so the start is told to the server's line",
        remedy="capture a start soon after it, or measure one: `firstlight measure`",
        evidence=(up.evidence, ready.evidence),
    )
    doubted = replace(story, ready=None, findings=(*story.findings, finding))
    return doubted, replace(moments, marks=marks)


def ends_of(story: PodStory, moments: Moments) -> tuple[Mark | None, Mark | None]:
    """The two proven ends of the pod's start; None where there is none.

    Where the objects do not tell them, the first thing known of the pod and its server's line
    do. Two clocks that are far apart for certain prove no length.
    """
    begins = story.begins or min(
        (m for m in (story.started, *(w.begins for w in story.windows)) if m),
        key=lambda m: m.at_ns,
        default=moments.begins,
    )
    ends = story.ready or (None if story.is_ready is False else moments.get(MarkKind.SERVER_UP))
    if begins and ends and not same_host(begins.clock, ends.clock):
        apart = story.skew.at_least_ns > _MOST_APART_NS
        return begins, None if apart else ends
    return begins, ends


def pod_activities(story: PodStory | None, moments: Moments) -> list[Activity]:
    """Names for the stretches outside the engine."""
    if story is None:
        return []
    named = list(story.activities)
    up, ready = moments.get(MarkKind.SERVER_UP), moments.get(MarkKind.POD_READY)
    if up and ready:
        named += lag_of(story.subject, story.started, up, ready).names
    if story.restored and story.started:
        named += between(story.started, story.restored, "restored from a snapshot")
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
            what="no line of the engine's log is here: none was given, it has said nothing yet, or "
            "it could not be placed. What happened inside is unexplained",
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
    arrival = story.image_arrival
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
    arrival, sizes = story.image_arrival, image_facts(story)
    if arrival is None or not sizes or not arrival.pull_begins or not arrival.pull_ends:
        return ()
    spent_ns = arrival.pull_ends.at_ns - arrival.pull_begins.at_ns
    if arrival.pull and arrival.pull.pull_ns:
        spent_ns = arrival.pull.pull_ns
    if spent_ns <= 0:
        return ()
    return (
        Transfer(
            what=IMAGE,
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
