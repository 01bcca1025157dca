"""
What happened around the pods: events of both APIs, their nodes, Karpenter's claims.

The older events API has counts and whole seconds, the newer one the scheduler's
microseconds; both tell the same events. Those about the pods lie in the pods'
namespace, those about nodes and claims in `default`. Events live for an hour unless the
server was told otherwise, so their absence is no news: it is noted when a pod is older
than all of them.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from firstlight.capture.lookup import Workload
from firstlight.capture.ports import Cluster
from firstlight.capture.rights import FORBIDDEN, NOT_FOUND, NotAllowed, not_allowed
from firstlight.core.objects import Object, name, spec, status, uid

EVENTS, EVENTS_NEW = "events", "events.events.k8s.io"
NODE_CLAIMS = "nodeclaims.karpenter.sh"
_FOR_NODES = "default"
_UNHEARD = "what was said about the nodes themselves (registered, Ready, disrupted) is missing"


@dataclass(slots=True, kw_only=True)
class Surroundings:
    """Raw lists, and what could not be had."""

    events: list[Object] = field(default_factory=list)
    events_new: list[Object] = field(default_factory=list)
    nodes: list[Object] = field(default_factory=list)
    node_claims: list[Object] = field(default_factory=list)
    has_karpenter: bool = True
    refused: list[NotAllowed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def surroundings(cluster: Cluster, workload: Workload) -> Surroundings:
    """
    Fetch it all; what may not be read is noted.

    Raises:
        OutsideFailed: the cluster is gone.
    """
    seen = Surroundings()
    seen.events = _events(cluster, EVENTS, cluster.namespace, seen)
    seen.events = [event for event in seen.events if _about(event, workload)]
    seen.events_new = _events(cluster, EVENTS_NEW, cluster.namespace, seen)
    seen.events_new = [event for event in seen.events_new if _about(event, workload)]
    nodes = sorted({str(n) for p in workload.pods if (n := spec(p).get("nodeName"))})
    for node in nodes:
        _add_node(cluster, node, seen)
    _add_claims(cluster, set(nodes), seen)
    _add_node_events(cluster, {*nodes, *map(name, seen.node_claims)}, seen)
    return seen


def subject(event: Object) -> tuple[str, str, str]:
    """What an event is about: kind, name, uid."""
    about = event.get("involvedObject") or event.get("regarding") or {}
    return str(about.get("kind", "")), str(about.get("name", "")), str(about.get("uid", ""))


def _events(
    cluster: Cluster,
    resource: str,
    namespace: str,
    seen: Surroundings,
    *,
    consequence: str | None = None,
) -> list[Object]:
    answer = cluster.items(cluster.path(resource, namespace=namespace))
    if isinstance(answer, dict):
        items: list[Object] = answer["items"]
        return items
    if answer.status == FORBIDDEN:
        seen.refused.append(not_allowed(answer, namespace=namespace, consequence=consequence))
    elif answer.status != NOT_FOUND:
        seen.notes.append(f"{resource} of namespace {namespace} were not read: {answer.words}")
    return []


def _about(event: Object, workload: Workload) -> bool:
    """Whether an event is about the workload, or about an earlier pod of it."""
    kind, of, whose = subject(event)
    objects = [*workload.pods, *workload.replica_sets, *([workload.top] if workload.top else [])]
    if whose in map(uid, objects):
        return True
    sets = tuple(f"{name(one)}-" for one in workload.replica_sets)
    return kind == "Pod" and (of in map(name, workload.pods) or of.startswith(sets))


def _add_node(cluster: Cluster, node: str, seen: Surroundings) -> None:
    if any(refused.resource == "nodes" for refused in seen.refused):
        return
    answer = cluster.get(cluster.path("nodes", name=node))
    if isinstance(answer, dict):
        seen.nodes.append(answer)
    elif answer.status == FORBIDDEN:
        seen.refused.append(not_allowed(answer))
    else:
        seen.notes.append(f"the node {node} is gone: when it became Ready cannot be told")


def _add_claims(cluster: Cluster, nodes: set[str], seen: Surroundings) -> None:
    """The claims of these nodes, and those that the pods' events name."""
    answer = cluster.items(cluster.path(NODE_CLAIMS))
    if isinstance(answer, dict):
        told = _words(event for event in [*seen.events, *seen.events_new])
        seen.node_claims = [
            claim
            for claim in answer["items"]
            if status(claim).get("nodeName") in nodes or name(claim) in told
        ]
    elif answer.status == FORBIDDEN:
        seen.refused.append(not_allowed(answer))
    else:
        seen.has_karpenter = False


def _add_node_events(cluster: Cluster, names: set[str], seen: Surroundings) -> None:
    """What is said about the nodes and claims themselves."""
    if not names:
        return
    for resource, into in ((EVENTS, seen.events), (EVENTS_NEW, seen.events_new)):
        if any(one.resource == resource for one in seen.refused):
            continue
        events = _events(cluster, resource, _FOR_NODES, seen, consequence=_UNHEARD)
        for event in events:
            kind, of, _ = subject(event)
            if kind in {"Node", "NodeClaim"} and of in names:
                into.append(event)


def _words(events: Iterable[Object]) -> set[str]:
    return {
        word
        for event in events
        for word in re.findall(r"[\w.-]+", str(event.get("message") or event.get("note") or ""))
    }
