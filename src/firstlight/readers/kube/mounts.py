"""
What a container has mounted, by what it is.

Where weights and caches lie decides how fast they come: a folder of the node, a disk, a bucket,
memory. A mount says a path and a volume's name; the pod says what that volume is. Keys,
certificates and settings are no place for weights and are left out, and so are names that a
pod is given for itself.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.readers.kube.fields import mapping, mappings, text, within

_NO_PLACE = frozenset({"configMap", "secret", "projected", "downwardAPI"})
_CALLED = {
    "hostPath": ("path",),
    "persistentVolumeClaim": ("claimName",),
    "csi": ("driver",),
    "nfs": ("server", "path"),
    "image": ("reference",),
    "emptyDir": ("medium",),
}
"""What tells one volume of a kind from another."""


def read_mounts(pod: Mapping[str, Any], container: Mapping[str, Any]) -> dict[str, str]:
    """By the path in the container: `hostPath /var/cache`, `emptyDir Memory`."""
    volumes = {text(v.get("name")): v for v in mappings(within(pod, "spec", "volumes"))}
    found: dict[str, str] = {}
    for mount in mappings(container.get("volumeMounts")):
        path, volume = text(mount.get("mountPath")), volumes.get(text(mount.get("name")), {})
        kind = next((k for k in volume if k != "name" and isinstance(volume[k], dict)), "")
        if not path or not kind or kind in _NO_PLACE:
            continue
        part = text(mount.get("subPath"))
        called = [text(mapping(volume[kind]).get(key)) for key in _CALLED.get(kind, ())]
        words = [kind, *called, f"at {part}" if part else ""]
        found[path] = " ".join(filter(None, words))
    return dict(sorted(found.items()))
