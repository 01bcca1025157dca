"""
One pod's engine container, and everything the artefacts say about it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import (
    ClusterSeen,
    Container,
    Event,
    Node,
    Pod,
    Stamp,
)

_NAMED = re.compile(r"(?:Created|Started) container:? (\S+)")
_EARLIER_NS = 5 * NS_PER_S
"""Clocks of two hosts may be so far apart without anybody noticing."""
_OWN_NAME = re.compile(r"Created pod: (\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A pod, the container that is its engine, and the words of others about it."""

    pod: Pod
    container: Container | None
    """None where only events are left of the pod."""
    events: tuple[Event, ...]
    """Those about the pod, in order of time."""
    unplaced: tuple[Event, ...] = ()
    """Those with ages only, beside a pod with stamps: nobody says from when they count."""
    cluster: ClusterSeen
    captured_ns: int | None = None
    """When all of it was saved; None where nobody tells."""

    @property
    def place(self) -> str:
        """How people call it: `demo/vllm-0 [vllm]`."""
        name = f"{self.pod.namespace}/{self.pod.name}" if self.pod.namespace else self.pod.name
        name = name or f"a pod in {self.pod.artefact}"
        return f"{name} [{self.container.name}]" if self.container else name

    @property
    def node(self) -> Node | None:
        return next((n for n in self.cluster.nodes if n.name == self.pod.node), None)

    def said(self, *reasons: str, container: str | None = None) -> list[Event]:
        """Events with one of these reasons, about this container where one is named."""
        return [
            e
            for e in self.events
            if e.reason in reasons and (container is None or container_of(e) in ("", container))
        ]

    def first(self, *reasons: str, container: str | None = None) -> Event | None:
        return next(iter(self.said(*reasons, container=container)), None)


def container_of(event: Event) -> str:
    """The container an event is about; empty where it does not say."""
    if event.container:
        return event.container
    found = _NAMED.match(event.message)
    return found[1].rstrip(".") if found else ""


def subject(
    pod: Pod,
    container: Container | None,
    cluster: ClusterSeen,
    about: Callable[[Pod], list[Event]],
    captured_ns: int | None = None,
) -> Subject:
    """The pod with the events about it."""
    events = [e for e in about(pod) if not _is_of_another_life(e, pod)]
    events.sort(key=_when)
    stamped = pod.created is not None or any(c.transition for c in pod.conditions)
    if stamped or (container and container.current and container.current.started):
        events = _placed_by_start(events, container)
    unplaced = [e for e in events if stamped and _is_age(e)]
    return Subject(
        pod=pod,
        container=container,
        events=tuple(e for e in events if e not in unplaced),
        unplaced=tuple(unplaced),
        cluster=cluster,
        captured_ns=captured_ns,
    )


def _placed_by_start(events: list[Event], container: Container | None) -> list[Event]:
    """Ages laid beside stamps, where the container's start is told both ways."""
    run = container.current if container and container.restarts == 0 else None
    if container is None or run is None or run.started is None:
        return events
    for event in events:
        of_it = container_of(event) in ("", container.name)
        if event.reason == "Started" and of_it and event.first and event.first.at_ns < 0:
            shift_ns = run.started.at_ns - event.first.at_ns
            return [_shifted(e, shift_ns) if _is_age(e) else e for e in events]
    return events


def _shifted(event: Event, shift_ns: int) -> Event:
    first = event.first and replace(event.first, at_ns=event.first.at_ns + shift_ns)
    last = event.last and replace(event.last, at_ns=event.last.at_ns + shift_ns)
    return replace(event, first=first, last=last)


def _is_age(event: Event) -> bool:
    """Whether an event counts back from an unknown moment: its stamps are negative."""
    return any(stamp is not None and stamp.at_ns < 0 for stamp in (event.first, event.last))


class Sorted:
    """Events by what they are about: a namespace holds thousands, of hundreds of pods."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._by_name: dict[str, list[Event]] = {}
        self._all: list[Event] = []
        for event in events:
            created = _OWN_NAME.match(event.message)
            if not created and event.kind not in ("", "Pod"):
                continue
            self._all.append(event)
            self._by_name.setdefault(created[1] if created else event.name, []).append(event)

    def about(self, pod: Pod) -> list[Event]:
        """The events about a pod; those of a table may not say so, and are about the one pod."""
        if not pod.name:
            return list(self._all)
        mine = [*self._by_name.get(pod.name, ()), *self._by_name.get("", ())]
        return [e for e in mine if _fits(e, pod)]


def _fits(event: Event, pod: Pod) -> bool:
    if event.uid and pod.uid and event.kind == "Pod":
        return event.uid == pod.uid
    return event.namespace in ("", pod.namespace) or not pod.namespace


def _is_of_another_life(event: Event, pod: Pod) -> bool:
    """Whether an event that has no uid is older than the pod: a StatefulSet uses names again."""
    if (event.uid and event.kind == "Pod") or pod.created is None or event.first is None:
        return False
    if event.first.at_ns < 0:
        return False
    reach_ns = event.first.resolution_ns + _EARLIER_NS
    return event.first.at_ns + reach_ns < pod.created.at_ns


def _when(event: Event) -> tuple[bool, int]:
    stamp: Stamp | None = event.first or event.last
    return stamp is None, stamp.at_ns if stamp else 0
