"""
Claims that an engine's pods mount, and from how many nodes that is possible.

A claim that allows only `ReadWriteOnce` is a disk that is attached to one node at a time;
`ReadWriteOncePod` is one pod at a time. Two kinds are another matter, whatever they are
declared: a volume that lies on a node by its nature draws the pods to that node, and a file
system of the network is attached to no node, so nobody minds a second.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import same_namespace
from firstlight.lint.scene import Scene
from firstlight.manifests.mounts import claim_of
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import mappings, text, within, words

ONE_POD = "ReadWriteOncePod"
_READ_ONLY = "ReadOnlyMany"
_ONE_AT_A_TIME = frozenset({"ReadWriteOnce", ONE_POD})
_NO_DISK = (
    *("local", "hostpath"),
    *(
        "nfs",
        "efs",
        "fsx",
        "lustre",
        "ceph",
        "filestore",
        "azurefile",
        "gluster",
        "weka",
        "juicefs",
    ),
    *("fuse", "s3"),
)
"""Words in the names of storage classes and drivers that are no disk of one node."""
_NO_DISK_KINDS = ("local", "hostPath", "nfs", "cephfs", "glusterfs", "azureFile")


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleClaim:
    """A claim that one node, or one pod, can have at a time."""

    claim: Manifest
    mode: str
    pointer: str
    """Of the pod's volume, in the object that makes the pods."""


class Claims:
    """The claims among the objects, found by name."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._by_name: dict[str, list[Manifest]] = {}
        for claim in scene.of_kind("PersistentVolumeClaim", group=""):
            self._by_name.setdefault(claim.identity.name, []).append(claim)

    def single(self, engine: Engine) -> Iterator[SingleClaim]:
        """Those that an engine's pod mounts and that cannot be shared."""
        for index, volume in enumerate(mappings(engine.pod.get("volumes"))):
            claim = self.of(engine, dict(volume))
            mode = self._mode(claim) if claim else None
            if claim is not None and mode is not None:
                yield SingleClaim(
                    claim=claim,
                    mode=mode,
                    pointer=f"{engine.workload.pod_pointer}/volumes/{index}",
                )

    def for_reading(self, engine: Engine, volume: dict[str, Any] | None) -> str | None:
        """The name of a volume's claim that allows only reading; None where it is none."""
        claim = self.of(engine, volume)
        modes = words(within(claim.value, "spec", "accessModes")) if claim else ()
        return claim.identity.name if claim and set(modes) == {_READ_ONLY} else None

    def of(self, engine: Engine, volume: dict[str, Any] | None) -> Manifest | None:
        """The claim that a volume of the pod is; None where it is not among the objects."""
        named = self._by_name.get(claim_of(volume) or "", ())
        return next((m for m in named if same_namespace(engine, m)), None)

    def _mode(self, claim: Manifest) -> str | None:
        """How it is for one at a time; None where it is not, or not known."""
        modes = words(within(claim.value, "spec", "accessModes"))
        if not modes or not _ONE_AT_A_TIME.issuperset(modes):
            return None
        return modes[0] if modes[0] == ONE_POD or not _is_no_disk(claim, self._scene) else None


def stays_on_one_node(engine: Engine) -> bool:
    """Whether all of its pods have to run on one node, or are drawn to each other."""
    pod = engine.pod
    drawn = within(pod, "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    chosen = within(pod, "nodeSelector", "kubernetes.io/hostname")
    return bool(pod.get("nodeName") or chosen or drawn)


def _is_no_disk(claim: Manifest, scene: Scene) -> bool:
    storage = text(within(claim.value, "spec", "storageClassName"))
    bound = text(within(claim.value, "spec", "volumeName"))
    classes = [m for m in scene.of_kind("StorageClass") if m.identity.name == storage]
    said = [storage, *(text(m.value.get("provisioner")) for m in classes)]
    for volume in scene.of_kind("PersistentVolume", group=""):
        if volume.identity.name == bound:
            said.append(text(within(volume.value, "spec", "csi", "driver")))
            if any(within(volume.value, "spec", kind) is not None for kind in _NO_DISK_KINDS):
                return True
    return any(word in one.lower() for one in said for word in _NO_DISK)
