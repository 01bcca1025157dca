"""
Which lines were written by which run of which container.

A bundle says it by the path of a log. Else the time does: a run's lines lie between
its start and its end, and a start's first line comes right behind its container's. A
log without stamps belongs to the only run there is, or to nobody.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.core.evidence import Evidence
from firstlight.core.units import NS_PER_S
from firstlight.explain.group import Group
from firstlight.explain.pod.story import PodStory, tell_current_run, tell_first_run, tell_run_alone
from firstlight.explain.pod.subject import Subject
from firstlight.readers.kube.model import Run

_SLACK_NS = 2 * NS_PER_S
"""A container's start is told in whole seconds, its first line may seem to come before."""


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
        name, pod = group.artefact, self.subject.pod.name
        container = self.subject.container.name if self.subject.container else ""
        if not pod or not _in_path(pod, name) or not _in_path(container, name):
            return False
        return self.is_previous == ("previous" in name)

    def holds(self, group: Group) -> bool:
        """Whether the group's first line lies in this run's time."""
        first = next((o.line for o in group.observations if o.line.outer_ns is not None), None)
        started = self.run.started if self.run else None
        if first is None or first.outer_ns is None or started is None:
            return False
        finished = self.run.finished if self.run else None
        ends_ns = finished.at_ns + finished.resolution_ns if finished else None
        since_ns = first.outer_ns - started.at_ns
        return since_ns >= -_SLACK_NS and (ends_ns is None or first.outer_ns <= ends_ns + _SLACK_NS)


def runs_of(subject: Subject) -> list[ContainerRun]:
    """The runs of which the API still tells, in order of time."""
    container = subject.container
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
    for group in groups:
        for test in (ContainerRun.wrote, ContainerRun.holds):
            found = [n for n, run in enumerate(runs) if n not in mine and test(run, group)]
            if found:
                # The latest run that had begun: an earlier one had ended, whatever its end says.
                mine[max(found, key=lambda n: _began_ns(runs[n]))] = group
                break
        else:
            nobodys.append(group)
    if len(nobodys) == 1 and len(runs) == 1 and not mine and not _is_stamped(nobodys[0]):
        mine[0] = nobodys.pop()
    return mine, nobodys


def _began_ns(run: ContainerRun) -> int:
    return run.run.started.at_ns if run.run and run.run.started else 0


def _is_stamped(group: Group) -> bool:
    return any(o.line.outer_ns is not None for o in group.observations)


def _in_path(name: str, path: str) -> bool:
    """A whole name in a path, not a piece of a longer one."""
    return bool(name) and bool(re.search(rf"(?:^|[/_.]){re.escape(name)}(?:[/_.]|$)", path))
