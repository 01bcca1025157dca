"""
Which other objects a live workload leans on, by name.

A change of where the model is read from, or of what nodes it gets, is a change of these: the
claims its pods mount, the volumes behind them, and the NodePool that its nodes come from. How
pools and classes are named stands in `karpenter_references`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firstlight.manifests.karpenter_references import pools_of
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.readers.json_pointer import value_at


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
    return tuple(dict.fromkeys(name for pod in _pods(workload) for name in pools_of(pod)))


def volume_of(claim: Mapping[str, Any]) -> str | None:
    """The PersistentVolume that a claim is bound to; None where it waits for one."""
    name = (claim.get("spec") or {}).get("volumeName")
    return str(name) if name else None


def _pods(workload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for pointer in pod_pointers(workload):
        yield value_at(workload, pointer)
