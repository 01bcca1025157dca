"""
An artefact of a cluster, in whatever form it was saved.

Objects are read as objects; what stands beside them (tables of events, `kubectl
describe`, Karpenter's log) is the business of `text`. An artefact may tell of one
object many times, as a watch does: its last state counts.
"""

from collections.abc import Iterable

from firstlight.readers.kube.decoding import as_text, decoded, holds_objects
from firstlight.readers.kube.events import read_event
from firstlight.readers.kube.fields import text, within
from firstlight.readers.kube.joining import join
from firstlight.readers.kube.metadata import origin_of
from firstlight.readers.kube.model import ClusterSeen, Event, Node, NodeClaim, Pod, Workload
from firstlight.readers.kube.node_claims import read_node_claim
from firstlight.readers.kube.nodes import read_node
from firstlight.readers.kube.objects import Found
from firstlight.readers.kube.pods import read_pod
from firstlight.readers.kube.text import looks_like_text, read_text
from firstlight.readers.kube.workloads import read_workload

__all__ = ["join", "looks_like_cluster", "read_cluster", "read_mixed"]


def looks_like_cluster(head: bytes) -> bool:
    """Whether an artefact tells of a cluster, by its first 64 KiB."""
    words = as_text(head)
    return holds_objects(words) or looks_like_text(words)


def read_cluster(artefact: str, data: bytes, *, captured_ns: int | None = None) -> ClusterSeen:
    """Everything that an artefact says about a cluster; empty if it says nothing.

    As `read_mixed`, where nobody wants what else is in it.
    """
    return read_mixed(artefact, data, captured_ns=captured_ns)[0]


def read_mixed(
    artefact: str, data: bytes, *, captured_ns: int | None = None
) -> tuple[ClusterSeen, str]:
    """What an artefact says about a cluster, and its lines that belong to no object.

    The words inside objects are no log: a container's command may quote one.

    Args:
        artefact: what evidence calls it.
        data: all its bytes.
        captured_ns: when it was saved; ages in tables count back from there.

    Raises:
        BadInput: an object in it is damaged.
    """
    parts = decoded(artefact, data)
    seen = _read(artefact, _last_states(parts.objects))
    if not parts.rest.strip():
        return join([seen]), ""
    return join([seen, read_text(artefact, parts.rest, captured_ns)]), parts.rest


def _last_states(found: Iterable[Found]) -> Iterable[Found]:
    """Each object once, where it was first told of, as it was last."""
    last: dict[object, Found] = {}
    for each in found:
        key = _identity(each)
        before = last.get(key)
        if before is None or _is_later(each, before):
            last[key] = each
    return last.values()


def _identity(found: Found) -> object:
    names = [text(within(found.obj, "metadata", key)) for key in ("uid", "namespace", "name")]
    return (found.kind, *names) if names[0] or names[-1] else id(found)


def _is_later(found: Found, before: Found) -> bool:
    """By the version; by the place in the artefact where there is none."""
    versions = [text(within(f.obj, "metadata", "resourceVersion")) for f in (found, before)]
    if all(v.isascii() and v.isdecimal() for v in versions):
        new, old = ((len(v), v) for v in (version.lstrip("0") for version in versions))
        return new >= old
    return True


def _read(artefact: str, found: Iterable[Found]) -> ClusterSeen:
    pods: list[Pod] = []
    events: list[Event] = []
    nodes: list[Node] = []
    claims: list[NodeClaim] = []
    workloads: list[Workload] = []
    for each in found:
        origin = origin_of(each.obj, each.kind, artefact, each.line)
        match each.kind:
            case "Pod":
                pods.append(read_pod(each.obj, origin))
            case "Event":
                events += filter(None, [read_event(each.obj, origin)])
            case "Node":
                nodes.append(read_node(each.obj, origin))
            case "NodeClaim":
                claims.append(read_node_claim(each.obj, origin))
            case kind:
                workloads.append(read_workload(each.obj, origin, kind))
    return ClusterSeen(
        pods=tuple(pods),
        events=tuple(events),
        nodes=tuple(nodes),
        node_claims=tuple(claims),
        workloads=tuple(workloads),
    )
