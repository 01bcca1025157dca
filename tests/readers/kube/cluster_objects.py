"""Kubernetes objects for tests, as the API gives them, and reading them back."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import ClusterSeen, Event, NodeClaim, Pod
from firstlight.readers.kube.reading import read_cluster

SAVED = Path(__file__).parent / "saved"


def at(clock: str, *, date: str = "2026-03-02") -> int:
    """A time of that day as Unix nanoseconds."""
    whole, _, fraction = clock.partition(".")
    moment = datetime.fromisoformat(f"{date}T{whole}").replace(tzinfo=UTC)
    return int(moment.timestamp()) * NS_PER_S + int(fraction.ljust(9, "0"))


def stamp(clock: str) -> str:
    """A time of that day as the API writes it."""
    return f"2026-03-02T{clock}Z"


def seen(*objects: Any, artefact: str = "a.json") -> ClusterSeen:
    """What the reader makes of these, one after another."""
    return read_cluster(artefact, "\n".join(map(json.dumps, objects)).encode())


def saved(name: str) -> ClusterSeen:
    """What the reader makes of a saved file."""
    return read_cluster(name, (SAVED / name).read_bytes())


def pod_of(obj: dict[str, Any]) -> Pod:
    """The one pod that is in it."""
    (pod,) = seen(obj).pods
    return pod


def event_of(obj: dict[str, Any]) -> Event:
    """The one event that is in it."""
    (event,) = seen(obj).events
    return event


def claim_of(obj: dict[str, Any]) -> NodeClaim:
    """The one NodeClaim that is in it."""
    (claim,) = seen(obj).node_claims
    return claim


def pod(
    name: str = "vllm-0",
    *,
    uid: str = "u1",
    version: str = "10",
    ready: str | None = None,
    **spec: Any,
) -> dict[str, Any]:
    """A pod that was scheduled, and became ready at a time."""
    conditions = [condition("PodScheduled", "09:00:01")]
    if ready:
        conditions.append(condition("Ready", ready))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "demo",
            "uid": uid,
            "resourceVersion": version,
            "creationTimestamp": stamp("09:00:00"),
        },
        "spec": {"nodeName": "gpu-1", "restartPolicy": "Always", **spec},
        "status": {"phase": "Running" if ready else "Pending", "conditions": conditions},
    }


def condition(type_: str, clock: str, status: str = "True") -> dict[str, Any]:
    """A condition that became so at a time."""
    return {"type": type_, "status": status, "lastTransitionTime": stamp(clock)}


def event(
    reason: str, message: str, clock: str, *, suffix: str | None = None, count: int = 1
) -> dict[str, Any]:
    """A kubelet's event through core/v1; its name ends in the given or the fitting nanoseconds."""
    name = suffix if suffix is not None else f"{at(clock) + 123_456_789:x}"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"vllm-0.{name}",
            "namespace": "demo",
            "uid": f"{reason}-{name}",
            "creationTimestamp": stamp(clock),
        },
        "involvedObject": {
            "kind": "Pod",
            "namespace": "demo",
            "name": "vllm-0",
            "uid": "u1",
            "fieldPath": "spec.containers{vllm}",
        },
        "reason": reason,
        "message": message,
        "source": {"component": "kubelet", "host": "gpu-1"},
        "firstTimestamp": stamp(clock),
        "lastTimestamp": stamp(clock),
        "count": count,
        "type": "Normal",
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    }


def through_events_api(core: dict[str, Any]) -> dict[str, Any]:
    """The same event as events.k8s.io/v1 shows it."""
    shared = ("kind", "metadata", "reason", "type", "eventTime")
    return {key: core[key] for key in shared} | {
        "apiVersion": "events.k8s.io/v1",
        "note": core["message"],
        "regarding": core["involvedObject"],
        "deprecatedSource": core["source"],
        "deprecatedFirstTimestamp": core["firstTimestamp"],
        "deprecatedLastTimestamp": core["lastTimestamp"],
        "deprecatedCount": core["count"],
    }
