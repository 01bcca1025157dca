"""
A pod.

While a pod goes, `deletionTimestamp` is when it will be gone: the request plus the grace.
The request is what a restart begins with.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.conditions import pod_condition_clock, read_conditions
from firstlight.readers.kube.containers import read_containers
from firstlight.readers.kube.fields import mapping, mappings, natural, text, texts, within
from firstlight.readers.kube.metadata import created_of, name_of, namespace_of
from firstlight.readers.kube.model import Pod, Stamp
from firstlight.readers.kube.stamps import Origin, is_plausible


def read_pod(obj: Mapping[str, Any], origin: Origin) -> Pod:
    """Everything a start needs of a pod."""
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    return Pod(
        artefact=origin.artefact,
        name=name_of(obj),
        namespace=namespace_of(obj),
        uid=text(within(obj, "metadata", "uid")),
        node=text(spec.get("nodeName")),
        created=created_of(obj, origin),
        deleted=_deleted(obj, origin),
        acknowledged=origin.stamp(status, "startTime", Clock.NODE, within="status"),
        phase=text(status.get("phase")),
        reason=text(status.get("reason")),
        message=text(status.get("message")),
        conditions=read_conditions(obj, origin, lambda c: pod_condition_clock(text(c.get("type")))),
        containers=read_containers(obj, origin),
        labels=texts(within(obj, "metadata", "labels")),
        owner=_owner(obj),
    )


def _owner(obj: Mapping[str, Any]) -> str:
    for owner in mappings(within(obj, "metadata", "ownerReferences")):
        if owner.get("controller") is True and text(owner.get("name")):
            return f"{text(owner.get('kind'))}/{text(owner.get('name'))}"
    return ""


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
