"""
Which objects a document holds, and of what kind.

`kubectl get` wraps what it gives into a List, the API into a PodList whose items do not
say their kind, a watch each into what happened to it; jq may leave any part of it.
A kind counts with its API group only: an audit log has an Event of its own, and so has
Cluster API a Machine. A part without a kind is known by the types of its conditions.

The same is asked of documents that are cut or damaged, by their first bytes: whether
they claim to be such an object.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.readers.kube.fields import mapping, mappings, text, within

WORKLOADS = frozenset(
    {
        *("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"),
        *("Job", "LeaderWorkerSet"),
    }
)
_GROUPS = {
    "Pod": frozenset({""}),
    "Event": frozenset({"", "events.k8s.io"}),
    "Node": frozenset({""}),
    "NodeClaim": frozenset({"karpenter.sh"}),
    "Machine": frozenset({"karpenter.sh"}),
} | dict.fromkeys(WORKLOADS, frozenset({"", "apps", "batch", "leaderworkerset.x-k8s.io"}))
_BY_CONDITION = {
    "PodScheduled": "Pod",
    "ContainersReady": "Pod",
    "PodReadyToStartContainers": "Pod",
    "PodHasNetwork": "Pod",
    "Launched": "NodeClaim",
    "Registered": "NodeClaim",
    "MachineLaunched": "NodeClaim",
    "MachineRegistered": "NodeClaim",
    "MemoryPressure": "Node",
    "DiskPressure": "Node",
    "PIDPressure": "Node",
}
_CHANGES = frozenset({"ADDED", "MODIFIED", "DELETED"})
_DEEPEST = 3
"""A List in a watch's entry in an array is deep enough; more is a trap."""

_HEAD = 8 * 1024
"""So far the kind of the first object is told."""

_KINDS = "|".join(_GROUPS)
_TYPES = "|".join(_BY_CONDITION)
_JSON_HEAD = re.compile(
    r"\s*\[?\s*\{\s*\"(?:action|apiVersion|kind|items|metadata|type|object|spec|status|conditions"
    r"|containerStatuses|involvedObject|regarding|reason|last\w{1,20}|count|eventTime)\""
)
_JSON_KIND = re.compile(
    rf"\"kind\"\s*:\s*\"(?:(?:{_KINDS})(?:List)?|List)\"|\"type\"\s*:\s*\"(?:{_TYPES})\""
    r"|\"containerStatuses\"\s*:"
)
_YAML_KIND = re.compile(
    rf"^[ -]{{0,4}}kind: *[\"']?(?:(?:{_KINDS})(?:List)?|List)[\"']?\s*$"
    rf"|^[ -]*+type: *[\"']?(?:{_TYPES})[\"']?\s*$|^[ -]{{0,4}}containerStatuses:\s*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One object, its kind, and the line it is, where it is one."""

    kind: str
    obj: Mapping[str, Any]
    line: int | None


def objects_in(
    value: object, line: int | None, *, kind: str = "", depth: int = 0
) -> Iterator[Found]:
    """The objects of a document that tell of a start.

    Args:
        value: the document.
        line: of a document that is one line.
        kind: what the list around it says that its items are.
        depth: how many lists are around it.
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        if any(text(entry.get("type")) in _BY_CONDITION for entry in mappings(value)):
            value = {"conditions": value}
        else:
            for item in value:
                yield from objects_in(item, line, kind=kind, depth=depth + 1)
            return
    obj = mapping(value)
    said = text(obj.get("kind"))
    if "object" in obj and "type" in obj and not said:
        if text(obj["type"]) in _CHANGES:
            yield from objects_in(obj["object"], line, depth=depth + 1)
    elif isinstance(obj.get("items"), list) and (said.endswith("List") or not said):
        inner = said.removesuffix("List")
        for item in obj["items"]:
            yield from objects_in(item, line, kind=inner, depth=depth + 1)
    elif found := _kind(obj, said or kind):
        whole = (
            obj if "conditions" not in obj and "containerStatuses" not in obj else {"status": obj}
        )
        yield Found(kind=found, obj=whole, line=line)


def is_object(value: object) -> bool:
    """Whether a document is an object of some API, of interest or not."""
    obj = mapping(value)
    return bool(text(obj.get("kind")) and text(obj.get("apiVersion")))


def is_claimed_json(document: str, at: int) -> bool:
    """Whether what begins there looks like an object that tells of a start."""
    return bool(_JSON_HEAD.match(document, at) and _JSON_KIND.search(document, at, at + _HEAD))


def is_claimed_yaml(document: str, at: int) -> bool:
    """Whether what begins there looks like an object that tells of a start."""
    return _YAML_KIND.search(document, at) is not None


def _kind(obj: Mapping[str, Any], said: str) -> str:
    """The kind, as one of ours; empty for anything else."""
    if said:
        version = text(obj.get("apiVersion"))
        if said not in _GROUPS or (version and version.rpartition("/")[0] not in _GROUPS[said]):
            return ""
        return "NodeClaim" if said == "Machine" else said
    status = obj if "conditions" in obj else mapping(obj.get("status"))
    for entry in mappings(status.get("conditions")):
        if found := _BY_CONDITION.get(text(entry.get("type"))):
            return found
    if "containerStatuses" in obj or "containerStatuses" in status:
        return "Pod"
    about = obj.get("involvedObject") or obj.get("regarding")
    return "Event" if text(within(about, "kind")) and text(obj.get("reason")) else ""
