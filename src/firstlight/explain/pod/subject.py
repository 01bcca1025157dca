"""
One pod's engine container, and everything the artefacts say about it.
"""

import re
from dataclasses import dataclass

from firstlight.readers.kube.model import (
    ClusterSeen,
    Container,
    ContainerKind,
    Event,
    Node,
    Pod,
    Stamp,
)

_NAMED = re.compile(r"(?:Created|Started) container:? (\S+)")
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
            if e.reason in reasons and (container is None or about(e) in ("", container))
        ]

    def first(self, *reasons: str, container: str | None = None) -> Event | None:
        return next(iter(self.said(*reasons, container=container)), None)


def about(event: Event) -> str:
    """The container an event is about; empty where it does not say."""
    if event.container:
        return event.container
    found = _NAMED.match(event.message)
    return found[1].rstrip(".") if found else ""


def subject(pod: Pod, container: Container | None, cluster: ClusterSeen) -> Subject:
    """The pod with the events about it."""
    events = [e for e in cluster.events if _is_about(e, pod)]
    events.sort(key=_when)
    stamped = pod.created is not None or any(c.transition for c in pod.conditions)
    unplaced = [e for e in events if stamped and _is_age(e)]
    return Subject(
        pod=pod,
        container=container,
        events=tuple(e for e in events if e not in unplaced),
        unplaced=tuple(unplaced),
        cluster=cluster,
    )


def _is_age(event: Event) -> bool:
    """Whether an event counts back from an unknown moment: its stamps are negative."""
    return any(stamp is not None and stamp.at_ns < 0 for stamp in (event.first, event.last))


def _is_about(event: Event, pod: Pod) -> bool:
    """Events of a table may not say what they are about: then they are about the one pod."""
    if found := _OWN_NAME.match(event.message):
        return found[1] == pod.name or not pod.name
    if event.kind and event.kind != "Pod":
        return False
    if event.uid and pod.uid:
        return event.uid == pod.uid
    if not pod.name:
        return True
    return event.name in ("", pod.name) and event.namespace in ("", pod.namespace)


def _when(event: Event) -> tuple[bool, int]:
    stamp: Stamp | None = event.first or event.last
    return stamp is None, stamp.at_ns if stamp else 0


def engine_container(pod: Pod) -> Container | None:
    """The container that runs the engine.

    By its image or command; else the one that asked for GPUs; else the only one, or the first.
    """
    mains = [c for c in pod.containers if c.kind is ContainerKind.MAIN]
    for is_it in (mentions_vllm, _asks_gpus):
        if found := [c for c in mains if is_it(c)]:
            return found[0]
    return mains[0] if mains else None


def mentions_vllm(container: Container) -> bool:
    """Whether its name, image or command speaks of vLLM."""
    words = (container.name, container.image, *container.command)
    return any("vllm" in word.lower() for word in words)


def _asks_gpus(container: Container) -> bool:
    return container.gpus > 0
