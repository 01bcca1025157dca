"""
A pod's story: everything about one run of an engine's container that is not in its log.

Where the start begins (the pod's creation, or the end of the run before), what the
cluster did until the container ran, and when the pod was Ready.
"""

from dataclasses import dataclass

from firstlight.core.activities import Activity
from firstlight.core.attribution import PhaseWindow
from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.core.starts import Failure, Placement
from firstlight.explain.pod.conditions import created_at, ready_at, scheduled_at
from firstlight.explain.pod.containers import Arrival, Passage, arrivals, pass_through
from firstlight.explain.pod.image import image_arrival
from firstlight.explain.pod.pending import Pending, last_of, pending, waiting
from firstlight.explain.pod.placing import placement_of
from firstlight.explain.pod.provisioning import Provisioning, provision
from firstlight.explain.pod.readiness import beat_ns
from firstlight.explain.pod.remarks import (
    pulled_after_init,
    restarted,
    unplaced_events,
    without_events,
)
from firstlight.explain.pod.scheduling import (
    never_scheduled,
    scheduling_names,
    scheduling_windows,
)
from firstlight.explain.pod.skew import Skew, skew_finding, skew_of
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.timing import event_mark, mark
from firstlight.explain.pod.troubles import pod_failure, run_failure
from firstlight.readers.kube.engine_container import mentions_vllm
from firstlight.readers.kube.model import ContainerKind, Run, Stamp

_BEFORE_CONTAINERS = (
    "SuccessfulAttachVolume",
    "FailedAttachVolume",
    "FailedMount",
    "FailedCreatePodSandBox",
    "NetworkNotReady",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodStory:
    """One run of an engine's container, seen from the cluster."""

    subject: Subject
    skew: Skew
    begins: Mark | None = None
    windows: tuple[PhaseWindow, ...] = ()
    """Until the container started, in order of time."""
    activities: tuple[Activity, ...] = ()
    started: Mark | None = None
    ready: Mark | None = None
    """None where the pod is not Ready, or its stamp cannot be believed."""
    is_ready: bool | None = None
    """None where nobody tells."""
    restored: Mark | None = None
    """When the process was restored from a snapshot, instead of starting."""
    last: Mark | None = None
    """The last thing known of a pod that is not Ready."""
    unfinished: Phase | None = None
    """The phase before the container's start in which such a pod is; None behind it."""
    failure: Failure | None = None
    image_arrival: Arrival | None = None
    """The container that came first with the engine's image; None for a restart."""
    placement: Placement
    findings: tuple[Finding, ...] = ()

    @property
    def container_name(self) -> str:
        return self.subject.container.name if self.subject.container else ""

    @property
    def scenario(self) -> str | None:
        """Cold where a node was made for this start; else nobody has said so."""
        made = any(w.phase is Phase.NODE_PROVISIONING for w in self.windows)
        return "cold" if made else None

    @property
    def is_engine(self) -> bool:
        """Whether the pod's own objects say that it runs vLLM."""
        container = self.subject.container
        return container is not None and mentions_vllm(container)

    def total_uncertainty_ns(self, begins: Mark | None, ends: Mark | None) -> int:
        """How exactly the total of these two ends is known, at best by the probe's beat."""
        if begins is None or ends is None:
            return 0
        apart_ns = self.skew.between(begins, ends)
        by_clocks_ns = begins.resolution_ns + ends.resolution_ns + apart_ns
        return max(by_clocks_ns, beat_ns(self.subject.container) if self.is_ready else 0)


def tell_first_run(subject: Subject, last_words: Evidence | None = None) -> PodStory:
    """The pod's story up to the first run of its engine, and that run.

    Args:
        subject: the pod.
        last_words: the last line of that run's log, if there is one.
    """
    container = subject.container
    again = container is not None and container.restarts > 0
    created, scheduled = created_at(subject), scheduled_at(subject)
    skew = skew_of(scheduled, subject.pod.acknowledged, subject.events)
    last = last_of(subject)
    node = provision(subject, created, scheduled, last)
    passage = Passage(skew=skew)
    found = arrivals(subject)
    begins = mark(MarkKind.POD_CREATED, created) if created else None
    bound = _stamped(MarkKind.POD_SCHEDULED, scheduled)
    said = event_mark(MarkKind.POD_SCHEDULED, subject.first("Scheduled"))
    if bound and said and bound.at_ns == said.at_ns:
        bound = said
    asked = begins or _first_wait(subject)
    until = bound or last
    if asked is not None and until is not None and until.at_ns > asked.at_ns:
        apart_ns = skew.between(asked, until)
        passage.windows.extend(scheduling_windows(asked, until, node.window, apart_ns))
        passage.activities.extend(scheduling_names(subject, asked, until, node.window))
    elif node.window is not None:
        passage.windows.append(node.window)
    passage.activities.extend(node.activities)
    pass_through(passage, bound, found, _steps(subject))
    engine = found[-1]
    ready, is_ready, moved = (None, False, ()) if again else ready_at(subject, engine)
    open_ = Pending()
    failure = None
    if again and container is not None:
        run = container.previous
        failure = run_failure(container, run, subject, last_words) if run else None
    elif not is_ready:
        failure = node.failure or pod_failure(subject, last_words)
        if bound is None and failure is None:
            failure = never_scheduled(subject)
        open_ = pending(subject, found, asked, bound)
        if open_.phase is not Phase.SCHEDULING and open_.since and last and open_.phase:
            passage.add(open_.phase, open_.since, last, open_.name)
    return PodStory(
        subject=subject,
        skew=skew,
        begins=begins,
        windows=tuple(passage.windows),
        activities=tuple(passage.activities),
        started=engine.started,
        ready=ready,
        is_ready=is_ready,
        restored=_restored(subject, engine),
        last=None if is_ready or again else last,
        unfinished=open_.phase,
        failure=failure,
        image_arrival=image_arrival(found),
        placement=placement_of(subject, node, image_arrival(found), skew),
        findings=(
            *moved,
            *(() if failure or is_ready else waiting(subject, bound)),
            *node.findings,
            *skew_finding(skew, subject.place),
            *pulled_after_init(subject, found),
            *(unplaced_events(subject) or without_events(subject, found)),
        ),
    )


def tell_current_run(subject: Subject, last_words: Evidence | None = None) -> PodStory:
    """The story of a run after the first: it begins where the one before ended."""
    container = subject.container
    if container is None or container.restarts == 0:
        return tell_first_run(subject, last_words)
    before, run = container.previous, container.current
    skew = skew_of(scheduled_at(subject), subject.pod.acknowledged, subject.events)
    begins = _stamped(MarkKind.CONTAINER_ENDED, before.finished if before else None)
    started = _stamped(MarkKind.CONTAINER_STARTED, run.started if run else None)
    passage = Passage(skew=skew)
    passage.add(Phase.CONTAINER_SETUP, begins, started, "back-off and restart")
    engine = Arrival(name=container.name, kind=ContainerKind.MAIN, started=started)
    ready, is_ready, moved = ready_at(subject, engine)
    failure = None if is_ready else pod_failure(subject, last_words)
    return PodStory(
        subject=subject,
        skew=skew,
        begins=begins or started,
        windows=tuple(passage.windows),
        activities=tuple(passage.activities),
        started=started,
        ready=ready,
        is_ready=is_ready,
        last=None if is_ready else last_of(subject),
        failure=failure,
        placement=placement_of(subject, Provisioning(), engine, skew),
        findings=(*moved, *restarted(subject, before)),
    )


def tell_run_alone(subject: Subject, run: Run, last_words: Evidence | None = None) -> PodStory:
    """The story of a run between others: it begins with its container and ended badly."""
    container = subject.container
    started = _stamped(MarkKind.CONTAINER_STARTED, run.started)
    skew = skew_of(scheduled_at(subject), subject.pod.acknowledged, subject.events)
    engine = Arrival(name=container.name if container else "", kind=ContainerKind.MAIN)
    return PodStory(
        subject=subject,
        skew=skew,
        begins=started,
        started=started,
        is_ready=False,
        last=_stamped(MarkKind.CONTAINER_ENDED, run.finished),
        failure=run_failure(container, run, subject, last_words) if container else None,
        placement=placement_of(subject, Provisioning(), engine, skew),
    )


def _stamped(kind: MarkKind, stamp: Stamp | None) -> Mark | None:
    return mark(kind, stamp) if stamp else None


def _first_wait(subject: Subject) -> Mark | None:
    """Of a pod whose creation nobody tells: the first time it was seen waiting."""
    event = subject.first("FailedScheduling", "Nominated", "TriggeredScaleUp")
    return event_mark(MarkKind.UNSCHEDULABLE, event)


def _steps(subject: Subject) -> list[Mark]:
    steps = (
        event_mark(MarkKind.KUBELET_ACTS, event) for event in subject.said(*_BEFORE_CONTAINERS)
    )
    return [step for step in steps if step is not None]


def _restored(subject: Subject, engine: Arrival) -> Mark | None:
    """The event of a runtime that restored the process instead of starting it."""
    for event in subject.events:
        if "snapshot" in event.reason.lower() and "restored" in event.message.lower():
            started = engine.started
            if event.first and started and event.first.at_ns > started.at_ns:
                return event_mark(MarkKind.LOAD_BEGINS, event)
    return None
