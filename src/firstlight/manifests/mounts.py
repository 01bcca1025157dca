"""
Volumes of a pod and who mounts them.

What is written under a mounted path goes to the volume, and how long it lives depends on
its kind: with the pod, with the node, or longer.
"""

from collections.abc import Iterator
from typing import Any

from firstlight.manifests.pod_templates import all_containers

_READ_ONLY = ("configMap", "secret", "downwardAPI", "projected", "image")
"""Kinds that the kubelet mounts for reading, whatever is asked."""
_LASTING = ("hostPath", "persistentVolumeClaim", "nfs", "local")
"""Not `ephemeral`, which is a claim of the pod's own, and not `csi`, whose volumes in a pod's
spec are made and deleted with it."""


def volume_named(pod: dict[str, Any], name: object) -> dict[str, Any] | None:
    """The pod's volume of that name; None where it has none (a StatefulSet may bring it)."""
    return next((v for v in pod.get("volumes") or [] if v.get("name") == name), None)


def outlives_pods(volume: dict[str, Any], mount: dict[str, Any] | None = None) -> bool:
    """
    Whether the next pod finds in it what this one wrote.

    Args:
        volume: of the pod.
        mount: where it is asked about; None for the volume as a whole.
    """
    # The folder of an expression is a folder of this pod's name, or of its node's.
    of_one_pod = "$(" in str((mount or {}).get("subPathExpr"))
    return any(volume.get(kind) for kind in _LASTING) and not of_one_pod


def is_read_only(volume: dict[str, Any], mount: dict[str, Any]) -> bool:
    """Whether nothing can be written under the mount."""
    source = next((v for k, v in volume.items() if k != "name" and isinstance(v, dict)), {})
    fixed = any(volume.get(kind) for kind in _READ_ONLY)
    recursive = mount.get("recursiveReadOnly") in {"Enabled", "IfPossible"}
    return bool(mount.get("readOnly") or recursive or source.get("readOnly")) or fixed


def mounting(pod: dict[str, Any], name: object) -> Iterator[str]:
    """The containers that mount a volume, by name."""
    for container in all_containers(pod):
        if any(m.get("name") == name for m in container.get("volumeMounts") or []):
            yield str(container.get("name"))


def claim_of(volume: dict[str, Any] | None) -> str | None:
    """The claim that a volume is; None where it is none."""
    found = ((volume or {}).get("persistentVolumeClaim") or {}).get("claimName")
    return str(found) if found else None
