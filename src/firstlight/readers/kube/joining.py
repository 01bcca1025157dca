"""
The same things, seen several times, once.

A pod is saved before and after; its events come as objects, through the other API, and
in a table. Of each object the latest view counts: the one with the latest stamp in it,
or, where the stamps tell nothing, the one given last. What the latest view lacks and
cannot have changed, such as a uid or when Karpenter launched a node, is taken from the
others.

An event is told by what it is about, its reason and its first occurrence. The name
that client-go gives it makes that exact. Two coarse views are one event if their
messages agree too; a row of a table, which may not say what it is about, is the event
it fits.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import (
    ClusterSeen,
    Condition,
    Event,
    Node,
    NodeClaim,
    Pod,
    Run,
    Stamp,
    Workload,
)

_Seen = TypeVar("_Seen", Pod, Node, NodeClaim, Workload, Event)
_Rank = tuple[int, ...]

_LASTING_OF_PODS = ("uid", "node", "created", "deleted", "acknowledged", "labels", "owner")
_LASTING_OF_NODES = ("created", "labels", "software")
_LASTING_OF_CLAIMS = (
    *("created", "launched", "registered", "initialized", "conditions", "node"),
    *("instance_type", "capacity_type", "zone", "machine_image", "last_seen"),
)
_LASTING_OF_EVENTS = (
    *("kind", "name", "namespace", "uid", "container", "type", "component", "last", "recorded"),
)


def join(seen: Iterable[ClusterSeen]) -> ClusterSeen:
    """Everything that was seen, each thing once, in the order of its first sight."""
    views = tuple(seen)
    claims = [claim for view in views for claim in view.node_claims]
    nodes = [node for view in views for node in view.nodes]
    workloads = [workload for view in views for workload in view.workloads]
    return ClusterSeen(
        pods=tuple(_pods([pod for view in views for pod in view.pods])),
        events=tuple(_events(views)),
        nodes=tuple(_latest(nodes, _named, _rank_of_node, _LASTING_OF_NODES)),
        node_claims=tuple(_latest(claims, _named, _rank_of_claim, _LASTING_OF_CLAIMS)),
        workloads=tuple(
            _latest(workloads, lambda w: (w.kind, w.namespace, w.name), lambda _: (), ("created",))
        ),
    )


def _latest(
    things: Iterable[_Seen],
    key: Callable[[_Seen], object],
    rank: Callable[[_Seen], _Rank],
    lasting: tuple[str, ...],
) -> Iterator[_Seen]:
    """Of those with one key the one of the highest rank, of equals the last."""
    groups: dict[object, list[_Seen]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    for group in groups.values():
        ranked = sorted(group, key=rank)
        best = ranked.pop()
        for other in reversed(ranked):
            best = _filled(best, other, lasting)
        yield best


def _filled(best: _Seen, other: _Seen, lasting: tuple[str, ...]) -> _Seen:
    gaps = {name: getattr(other, name) for name in lasting if not getattr(best, name)}
    return replace(best, **gaps) if any(gaps.values()) else best


def _pods(pods: list[Pod]) -> Iterator[Pod]:
    """By uid; a view without one is of the newest pod of its name."""
    newest: dict[tuple[str, str], Pod] = {}
    for pod in pods:
        name = (pod.namespace, pod.name)
        if pod.uid and (name not in newest or _rank_of_pod(pod) >= _rank_of_pod(newest[name])):
            newest[name] = pod

    def key(pod: Pod) -> object:
        if not pod.name and not pod.uid:
            return repr(pod)
        name = (pod.namespace, pod.name)
        known = newest.get(name)
        return pod.uid or (known.uid if known else name)

    return _latest(pods, key, _rank_of_pod, _LASTING_OF_PODS)


def _named(thing: Node | NodeClaim) -> object:
    return thing.name or repr(thing)


def _rank_of_pod(pod: Pod) -> _Rank:
    runs = [run for c in pod.containers for run in (c.current, c.previous) if run]
    stamps = [pod.created, pod.deleted, *_transitions(pod.conditions), *_ends(runs)]
    return (_newest_ns(stamps), sum(c.restarts for c in pod.containers), bool(pod.uid))


def _rank_of_node(node: Node) -> _Rank:
    return (_newest_ns([node.created, *_transitions(node.conditions)]), bool(node.conditions))


def _rank_of_claim(claim: NodeClaim) -> _Rank:
    """In whole seconds: a log is finer than the object, and says less."""
    steps = [claim.created, claim.launched, claim.registered, claim.initialized]
    newest_ns = _newest_ns([*steps, *_transitions(claim.conditions)])
    return (newest_ns // NS_PER_S, bool(claim.conditions))


def _transitions(conditions: Iterable[Condition]) -> Iterator[Stamp | None]:
    return (condition.transition for condition in conditions)


def _ends(runs: Iterable[Run]) -> Iterator[Stamp | None]:
    return (stamp for run in runs for stamp in (run.started, run.finished))


def _newest_ns(stamps: Iterable[Stamp | None]) -> int:
    return max((stamp.at_ns for stamp in stamps if stamp), default=0)


def _events(views: Iterable[ClusterSeen]) -> list[Event]:
    """By what they are; then coarse ones fitted to finer ones.

    Ages in two tables count back from two moments, so those are only the same within one.
    """
    events = [event for view in views for event in view.events]
    aged = [event for event in events if _is_aged(event)]
    dated = [event for event in events if not _is_aged(event)]
    same = [*_latest(dated, _event_key, _rank_of_event, _LASTING_OF_EVENTS)]
    return [
        *_fitted(same),
        *_latest(aged, lambda e: (e.evidence.artefact, _event_key(e)), _rank_of_event, ()),
    ]


def _is_aged(event: Event) -> bool:
    return any(stamp.at_ns < 0 for stamp in (event.first, event.last) if stamp)


def _event_key(event: Event) -> object:
    about = (event.kind, event.namespace, event.name, event.container, event.reason)
    first = event.first
    if first is None:
        return (*about, event.message, event.recorded and event.recorded.at_ns)
    message = "" if first.resolution_ns == 1 else event.message
    return (*about, message, first.at_ns, first.resolution_ns)


def _rank_of_event(event: Event) -> _Rank:
    return (event.count, _newest_ns([event.last, event.first]), bool(event.recorded))


def _fitted(events: list[Event]) -> list[Event]:
    """Each coarse event that fits a finer or a fuller one becomes part of it."""
    near: dict[tuple[object, ...], list[int]] = {}
    taken: dict[int, Event] = {}
    for index in sorted(range(len(events)), key=lambda i: _coarseness(events[i])):
        event = events[index]
        if event.first is None:
            taken[index] = event
            continue
        said = (event.reason, event.message, event.first.at_ns // NS_PER_S)
        # One with a name need not be compared with those of other names, which may be many.
        candidates = near.get((*said, event.name) if event.name else said, ())
        into = next((i for i in candidates if _fits(event, taken[i])), None)
        if into is not None:
            taken[into] = _absorbed(taken[into], event)
            continue
        taken[index] = event
        for place in (said, (*said, event.name)):
            near.setdefault(place, []).append(index)
    return [taken[index] for index in sorted(taken)]


def _coarseness(event: Event) -> tuple[int, int]:
    said = (event.kind, event.namespace, event.name, event.container, event.component)
    return (event.first.resolution_ns if event.first else 0, -sum(map(bool, said)))


def _fits(coarse: Event, fine: Event) -> bool:
    """Whether nothing that the coarser event says is different in the finer one."""
    if not coarse.first or not fine.first or coarse.first.resolution_ns > NS_PER_S:
        return False
    pairs = (
        (coarse.kind, fine.kind),
        (coarse.namespace, fine.namespace),
        (coarse.name, fine.name),
        (coarse.container, fine.container),
    )
    after_ns = fine.first.at_ns - coarse.first.at_ns
    return 0 <= after_ns < coarse.first.resolution_ns and all(
        not said or said == known for said, known in pairs
    )


def _absorbed(fine: Event, coarse: Event) -> Event:
    fuller = _filled(fine, coarse, _LASTING_OF_EVENTS)
    if coarse.count <= fine.count:
        return fuller
    return replace(fuller, count=coarse.count, last=coarse.last or fuller.last)
