"""
Which other objects a live workload leans on, by name.

A change of where the model is read from, or of what nodes it gets, is a change of these: the
claims its pods mount, the volumes behind them, and the NodePool that its nodes come from.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firstlight.manifests.json_pointer import value_at
from firstlight.manifests.pod_templates import pod_pointers

NODE_POOL_LABEL = "karpenter.sh/nodepool"
_NODE_CLASS = ("karpenter.k8s.aws", "EC2NodeClass")


def claims_of(workload: dict[str, Any]) -> tuple[str, ...]:
    """The PersistentVolumeClaims that its pods mount."""
    names = [
        str(claim.get("claimName"))
        for pod in _pods(workload)
        for volume in pod.get("volumes") or []
        if isinstance(claim := volume.get("persistentVolumeClaim"), Mapping)
    ]
    return tuple(dict.fromkeys(names))


def node_pools_of(workload: dict[str, Any]) -> tuple[str, ...]:
    """The NodePools that its pods ask for by name; empty where any will do."""
    names: list[str] = []
    for pod in _pods(workload):
        selected = (pod.get("nodeSelector") or {}).get(NODE_POOL_LABEL)
        names += [str(selected)] if selected else []
        names += _required(pod)
    return tuple(dict.fromkeys(names))


def volume_of(claim: Mapping[str, Any]) -> str | None:
    """The PersistentVolume that a claim is bound to; None where it waits for one."""
    name = (claim.get("spec") or {}).get("volumeName")
    return str(name) if name else None


def node_class_of(pool: Mapping[str, Any]) -> str | None:
    """The EC2NodeClass of a NodePool; None for a class of another cloud."""
    template = (pool.get("spec") or {}).get("template") or {}
    reference = (template.get("spec") or {}).get("nodeClassRef") or {}
    known = (reference.get("group"), reference.get("kind")) == _NODE_CLASS
    return str(reference["name"]) if known and reference.get("name") else None


def _pods(workload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for pointer in pod_pointers(workload):
        yield value_at(workload, pointer)


def _required(pod: Mapping[str, Any]) -> list[str]:
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    return [
        str(value)
        for term in required.get("nodeSelectorTerms") or []
        for one in term.get("matchExpressions") or []
        if one.get("key") == NODE_POOL_LABEL and one.get("operator") == "In"
        for value in one.get("values") or []
    ]
