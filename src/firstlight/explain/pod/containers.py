"""
From the binding of a pod to the start of its engine's container.

The kubelet goes one step at a time: volumes and network, then for each initContainer
in turn pull, create, start and wait, then for each other container pull, create and
start. So the engine's image, often the largest, is pulled only after the last
initContainer has ended. Whether an image was pulled or lay there is said by events
alone: without them the time before a container's start is nobody's.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from firstlight.core.activities import Activity, between
from firstlight.core.attribution import PhaseWindow
from firstlight.core.evidence import Evidence
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.core.units import NS_PER_S
from firstlight.explain.pod.skew import Skew
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.timing import event_mark, finest, mark
from firstlight.readers.kube.model import Container, ContainerKind, Run
from firstlight.readers.kube.pull_message import Pull, pulled

_STARTS_WITHIN_NS = NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """How one container came to run."""

    name: str
    kind: ContainerKind
    image: str = ""
    pull_begins: Mark | None = None
    pull_ends: Mark | None = None
    pull: Pull | None = None
    """What the kubelet said about its image."""
    pull_evidence: Evidence | None = None
    created: Mark | None = None
    started: Mark | None = None
    again: Mark | None = None
    """Of an initContainer that was restarted: when its last run began."""
    ended: Mark | None = None
    """Of an initContainer."""

    @property
    def first(self) -> Mark | None:
        """The first thing known of it."""
        return self.pull_begins or self.pull_ends or self.created or self.started


@dataclass(slots=True, kw_only=True)
class Passage:
    """The stretches between a pod's binding and its engine's start, while they are collected."""

    skew: Skew
    windows: list[PhaseWindow] = field(default_factory=list)
    activities: list[Activity] = field(default_factory=list)

    def add(
        self, phase: Phase, begins: Mark | None, ends: Mark | None, *path: str, depth: int = 0
    ) -> None:
        """A stretch of a phase with a name; nothing where an end is not proven."""
        if begins is None or ends is None or ends.at_ns <= begins.at_ns:
            return
        apart_ns = self.skew.between(begins, ends)
        window = PhaseWindow(phase=phase, begins=begins, ends=ends, skew_ns=apart_ns)
        self.windows.append(window)
        if path:
            self.name(begins, ends, *path, depth=depth)

    def name(self, begins: Mark, ends: Mark, *path: str, depth: int = 0) -> None:
        """A name for a stretch of whatever phase it lies in."""
        self.activities += between(
            begins, ends, *path, depth=depth, apart_ns=self.skew.between(begins, ends)
        )


def arrivals(subject: Subject) -> list[Arrival]:
    """The containers on the engine's way, in the order the kubelet takes them."""
    engine = subject.container
    if engine is None:
        return [_by_events_alone(subject)]
    on_the_way: list[Container] = []
    for container in subject.pod.containers:
        on_the_way.append(container)
        if container is engine:
            break
    return [_arrival(subject, container) for container in on_the_way]


def pass_through(
    passage: Passage, scheduled: Mark | None, found: Iterable[Arrival], steps: Iterable[Mark]
) -> None:
    """Add the stretches from the binding to the engine's start.

    Args:
        passage: where to.
        scheduled: when the pod was bound; None where nobody tells.
        found: the containers, in order; the engine's is the last.
        steps: what the kubelet was seen to do before the first container.
    """
    at, after = scheduled, ""
    for arrival in found:
        first = arrival.first
        proven = arrival.pull_begins or arrival.pull
        if at is not None and first is not None and proven:
            _before_container(passage, at, first, after, steps)
        _pull(passage, arrival)
        # A pull that nobody saw end may have gone on until the container started.
        ready = arrival.pull_ends or (first if proven and not arrival.pull_begins else None)
        if arrival.created is not None:
            passage.add(
                Phase.CONTAINER_SETUP, ready, arrival.created, f"create container {arrival.name}"
            )
        passage.add(
            Phase.CONTAINER_SETUP,
            arrival.created or ready,
            arrival.started,
            f"start container {arrival.name}",
        )
        at, after = arrival.started, f"container {arrival.name} starts"
        if arrival.kind is ContainerKind.INIT:
            passage.add(Phase.INIT_CONTAINERS, arrival.started, arrival.ended, arrival.name)
            if arrival.again and arrival.started and arrival.ended:
                failed = (arrival.name, "runs that failed, and back-off")
                passage.name(arrival.started, arrival.again, *failed, depth=1)
                passage.name(
                    arrival.again, arrival.ended, arrival.name, "the run that succeeded", depth=1
                )
            at, after = arrival.ended, f"the kubelet sees that {arrival.name} has ended"


def _before_container(
    passage: Passage, at: Mark, first: Mark, after: str, steps: Iterable[Mark]
) -> None:
    passage.add(Phase.CONTAINER_SETUP, at, first)
    if after:
        passage.name(at, first, after)
        return
    for step in sorted(steps, key=lambda s: s.at_ns):
        if at.at_ns < step.at_ns <= first.at_ns:
            passage.name(at, step, _told(step.evidence.text))
            at = step
    passage.name(at, first, "volumes, network and sandbox")


def _told(words: str) -> str:
    """What the kubelet was doing until it said this."""
    low = words.lower()
    if "attach" in low:
        return "attach volume"
    if "network" in low or "cni" in low or "sandbox" in low:
        return "network not ready"
    if "mount" in low:
        return "mount volume, tried again"
    return "volumes, network and sandbox"


def _pull(passage: Passage, arrival: Arrival) -> None:
    begins, ends = arrival.pull_begins, arrival.pull_ends
    if begins is None or ends is None:
        return
    image = arrival.image or (arrival.pull.image if arrival.pull else "")
    name = f"{arrival.name}: {image}" if arrival.name else image or "image"
    pull = arrival.pull
    passage.add(Phase.IMAGE_PULL, begins, ends, name)
    if pull is None or pull.pull_ns is None or pull.with_waiting_ns is None:
        return
    queued_ns = pull.with_waiting_ns - pull.pull_ns
    if 0 < queued_ns < ends.at_ns - begins.at_ns:
        passage.activities.append(
            Activity(
                path=(name, "waiting in the kubelet's pull queue"),
                depth=1,
                start_ns=begins.at_ns,
                end_ns=begins.at_ns + queued_ns,
                evidence=(ends.evidence,),
            )
        )


def _arrival(subject: Subject, container: Container) -> Arrival:
    run = first_run(container)
    again = None
    if container.kind is ContainerKind.INIT and container.restarts > 0 and container.current:
        # Its first start is an event; the last run is what the pod waited for.
        run = replace(container.current, started=None)
        again = container.current.started
    pull = _pull_of(subject, container.name)
    said = subject.first("Started", container=container.name)
    started = finest(
        run.started if run else None,
        said.first if said else None,
        within_ns=_STARTS_WITHIN_NS,
    )
    finished = run.finished if run and container.kind is ContainerKind.INIT else None
    start_mark = mark(MarkKind.CONTAINER_STARTED, started) if started else None
    start_event = event_mark(MarkKind.CONTAINER_STARTED, said)
    if start_mark and start_event and start_mark.at_ns == start_event.at_ns:
        start_mark = start_event
    end_mark = mark(MarkKind.CONTAINER_ENDED, finished) if finished else None
    if start_mark and end_mark and end_mark.at_ns < start_mark.at_ns:
        # Both in one second, and only the beginning is known to the nanosecond.
        end_mark = start_mark
    return Arrival(
        name=container.name,
        kind=container.kind,
        image=container.image,
        pull_begins=pull.begins,
        pull_ends=pull.ends,
        pull=pull.told,
        pull_evidence=pull.evidence,
        created=event_mark(
            MarkKind.CONTAINER_CREATED, subject.first("Created", container=container.name)
        ),
        started=start_mark,
        again=mark(MarkKind.CONTAINER_STARTED, again) if again else None,
        ended=end_mark,
    )


def _by_events_alone(subject: Subject) -> Arrival:
    """A pod of which only events are left, as if it had one container."""
    pull = _pull_of(subject, None)
    return Arrival(
        name="",
        kind=ContainerKind.MAIN,
        pull_begins=pull.begins,
        pull_ends=pull.ends,
        pull=pull.told,
        pull_evidence=pull.evidence,
        created=event_mark(MarkKind.CONTAINER_CREATED, subject.first("Created")),
        started=event_mark(MarkKind.CONTAINER_STARTED, subject.first("Started")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pulling:
    """What is known of one image's pull."""

    begins: Mark | None
    ends: Mark | None
    told: Pull | None
    evidence: Evidence | None


def _pull_of(subject: Subject, container: str | None) -> _Pulling:
    """When the image's pull began and ended, and what was said of it."""
    event = subject.first("Pulled", container=container)
    told = pulled(event.message) if event else None
    ends = event_mark(MarkKind.PULL_ENDS, event)
    begins = event_mark(MarkKind.PULL_BEGINS, subject.first("Pulling", container=container))
    spent_ns = (told.with_waiting_ns or told.pull_ns) if told else None
    if begins is None and ends is not None and spent_ns:
        # The event of its beginning is lost; the one of its end says how long it took.
        begins = replace(ends, kind=MarkKind.PULL_BEGINS, at_ns=ends.at_ns - spent_ns)
    return _Pulling(begins=begins, ends=ends, told=told, evidence=event.evidence if event else None)


def first_run(container: Container) -> Run | None:
    """The container's first run, where it is still known."""
    if container.restarts == 0:
        return container.current
    return container.previous if container.restarts == 1 else None
