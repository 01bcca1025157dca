"""
Which lines were written by which run of which container.

A bundle says it by the path of a log. Else the time does: a run's lines lie between
its start and its end, and a start's first line comes right behind its container's. A
log without stamps belongs to the only run there is, or to nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.core.evidence import Evidence
from firstlight.core.units import NS_PER_S
from firstlight.explain.group import Group
from firstlight.explain.pod.log_paths import file_name, log_place, names_pod
from firstlight.explain.pod.story import PodStory, tell_current_run, tell_first_run, tell_run_alone
from firstlight.explain.pod.subject import Subject
from firstlight.readers.kube.model import Run

_SLACK_NS = 2 * NS_PER_S
"""A container's start is told in whole seconds, its first line may seem to come before."""
_LATEST_NS = 900 * NS_PER_S
"""An engine whose first line comes later than this is not recognised by the time alone."""
_APART_NS = 60 * NS_PER_S
"""Two pods that started closer together than this cannot be told apart by a log's first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRun:
    """One run of an engine's container of which the API still tells."""

    subject: Subject
    run: Run | None
    is_previous: bool

    def tell(self, last_words: Evidence | None) -> PodStory:
        """Its story, with the last line of its log where there is one."""
        container = self.subject.container
        if self.is_previous and container and container.previous and container.restarts > 1:
            return tell_run_alone(self.subject, container.previous, last_words)
        if self.is_previous:
            return tell_first_run(self.subject, last_words)
        return tell_current_run(self.subject, last_words)

    def wrote(self, group: Group) -> bool:
        """Whether the path of the log says that it is this run's."""
        pod, container = self.subject.pod.name, self.subject.container
        if place := log_place(group.artefact):
            whose = (place.pod, place.container) == (pod, container.name if container else "")
            waits = container is not None and container.current is None
            return whose and (place.is_previous == self.is_previous or waits)
        says_previous = "previous" in file_name(group.artefact)
        return names_pod(group.artefact, pod) and says_previous == self.is_previous

    def may_hold(self, group: Group) -> bool:
        """Whether nothing in the group's stamps contradicts that this run wrote it."""
        stamped = any(o.line.outer_ns is not None for o in group.observations)
        known = self.run is not None and self.run.started is not None
        return not (stamped and known) or self.gap_ns(group) is not None

    def gap_ns(self, group: Group) -> int | None:
        """From this run's start to the group's first line; None where it is not within the run."""
        first = next((o.line for o in group.observations if o.line.outer_ns is not None), None)
        started = self.run.started if self.run else None
        if first is None or first.outer_ns is None or started is None:
            return None
        ends_ns = self._ends_ns()
        gap_ns = first.outer_ns - started.at_ns
        after = ends_ns is not None and first.outer_ns > ends_ns + _SLACK_NS
        return None if gap_ns < -_SLACK_NS or after else gap_ns

    def _ends_ns(self) -> int | None:
        """Until when the lines of a start can have been written: its end, or Ready."""
        ends = self.run.finished if self.run else None
        ready = self.subject.pod.condition("Ready")
        if ends is None and not self.is_previous and ready is not None and ready.is_true:
            ends = ready.transition
        return ends.at_ns + ends.resolution_ns if ends else None


def runs_of(subject: Subject) -> list[ContainerRun]:
    """The runs of which the API still tells, in order of time."""
    container = subject.container
    if container is not None and container.current is None and container.previous is not None:
        # Between two runs: both logs of kubectl are the last run's.
        return [ContainerRun(subject=subject, run=container.previous, is_previous=True)]
    if container is None or container.restarts == 0 or container.previous is None:
        run = container.current if container else None
        return [ContainerRun(subject=subject, run=run, is_previous=False)]
    return [
        ContainerRun(subject=subject, run=container.previous, is_previous=True),
        ContainerRun(subject=subject, run=container.current, is_previous=False),
    ]


def share_out(
    runs: Sequence[ContainerRun], groups: Sequence[Group]
) -> tuple[dict[int, Group], list[Group]]:
    """Each run's group by the run's place in the sequence, and the groups that are nobody's."""
    mine: dict[int, Group] = {}
    nobodys: list[Group] = []
    # What says by its name whose it is comes before what is only guessed by its time.
    for group in sorted(groups, key=lambda g: not any(run.wrote(g) for run in runs)):
        free = [n for n in range(len(runs)) if n not in mine]
        found = [n for n in free if runs[n].wrote(group) and runs[n].may_hold(group)]
        if not found and not any(run.wrote(group) for run in runs):
            found = _by_time(runs, free, group) if log_place(group.artefact) is None else []
        if found:
            mine[found[-1]] = group
        else:
            nobodys.append(group)
    if len(nobodys) == 1 and len(runs) == 1 and not mine and _may_be_anybodys(nobodys[0]):
        mine[0] = nobodys.pop()
    return mine, nobodys


def _by_time(runs: Sequence[ContainerRun], free: Sequence[int], group: Group) -> list[int]:
    """The run that began right before the group; nobody's where another pod's is as near."""
    near = ((runs[n].gap_ns(group), n) for n in free)
    gaps = sorted((gap, n) for gap, n in near if gap is not None and gap < _LATEST_NS)
    if not gaps:
        return []
    nearest_ns, number = gaps[0]
    pod = runs[number].subject.pod
    rivals = [n for gap, n in gaps if gap - nearest_ns < _APART_NS and runs[n].subject.pod != pod]
    return [] if rivals else [number]


def _may_be_anybodys(group: Group) -> bool:
    """A log without stamps, and without a place that says whose it is."""
    stamped = any(o.line.outer_ns is not None for o in group.observations)
    return not stamped and log_place(group.artefact) is None
