"""
A pod.

PodScheduled is written by the scheduler and the API server, the conditions of a pod's
life on its node by the kubelet, and readiness gates by controllers. While a pod goes,
`deletionTimestamp` is when it will be gone: the request plus the grace. The request is
what a restart begins with.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.conditions import read_conditions
from firstlight.readers.kube.containers import read_containers
from firstlight.readers.kube.fields import mapping, mappings, natural, text, texts, within
from firstlight.readers.kube.metadata import created_of, name_of, namespace_of, owner_of
from firstlight.readers.kube.model import Pod, Stamp
from firstlight.readers.kube.stamps import Origin, is_plausible

_BY_KUBELET = frozenset(
    {
        *("Initialized", "Ready", "ContainersReady", "PodReadyToStartContainers", "PodInitialized"),
        *("PodHasNetwork", "PodResizePending", "PodResizeInProgress", "AllContainersRestarting"),
    }
)
"""PodHasNetwork is what PodReadyToStartContainers was called before 1.28."""


def read_pod(obj: Mapping[str, Any], origin: Origin) -> Pod:
    """Everything a start needs of a pod."""
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    gates = (text(g.get("conditionType")) for g in mappings(spec.get("readinessGates")))
    return Pod(
        artefact=origin.artefact,
        name=name_of(obj),
        namespace=namespace_of(obj),
        uid=text(within(obj, "metadata", "uid")),
        owner=owner_of(obj),
        node=text(spec.get("nodeName")),
        created=created_of(obj, origin),
        deleted=_deleted(obj, origin),
        acknowledged=origin.stamp(status, "startTime", Clock.NODE, within="status"),
        phase=text(status.get("phase")),
        reason=text(status.get("reason")),
        message=text(status.get("message")),
        conditions=read_conditions(obj, origin, _clock),
        readiness_gates=tuple(filter(None, gates)),
        containers=read_containers(obj, origin),
        restart_policy=text(spec.get("restartPolicy")),
        labels=texts(within(obj, "metadata", "labels")),
    )


def _clock(condition: Mapping[str, Any]) -> Clock:
    return Clock.NODE if text(condition.get("type")) in _BY_KUBELET else Clock.CONTROL_PLANE


def _deleted(obj: Mapping[str, Any], origin: Origin) -> Stamp | None:
    """When somebody asked for the deletion; None where the grace is not told."""
    metadata = mapping(obj.get("metadata"))
    grace_s = natural(metadata.get("deletionGracePeriodSeconds"))
    note = f"the request, plus deletionGracePeriodSeconds: {grace_s}"
    gone = origin.stamp(
        metadata, "deletionTimestamp", Clock.CONTROL_PLANE, within="metadata", note=note
    )
    if gone is None or grace_s is None or not is_plausible(gone.at_ns - grace_s * NS_PER_S):
        return None
    return replace(gone, at_ns=gone.at_ns - grace_s * NS_PER_S)
