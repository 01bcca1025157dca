"""
A node's volume that cannot hold the engine's image.

How large an image is does not stand in a manifest. vLLM's own is known well enough: the
reference case's, which is smaller than others that people have measured.
"""

from collections.abc import Iterator

from firstlight.core.units import BYTES_PER_GIB
from firstlight.lint.engine_image import is_cpu_or_xpu, is_published
from firstlight.lint.engine_pods import engine_pods, image_of, said
from firstlight.lint.node_systems import known_system
from firstlight.lint.pools import PoolIndex
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.manifests.sizes import ImageOnDisk
from firstlight.readers.kube.fields import mappings, text, within
from firstlight.readers.kube.quantities import quantity
from firstlight.techniques.sources import Origin, Source

_DEFAULT_GIB = 20
"""What Karpenter gives nodes of these families whose class says no volume."""
_FIELD = "/spec/blockDeviceMappings"
_DATA = {"bottlerocket": "/dev/xvdb"}
_ROOT = "/dev/xvda"


def _check(scene: Scene) -> Iterator[Hit]:
    seen = set[int]()
    index = PoolIndex(scene)
    needed = ImageOnDisk.of(None, None)
    needed_bytes = needed.packed_bytes + needed.unpacked_bytes
    for engine in engine_pods(scene):
        image = image_of(engine)
        if image is None or not is_published(engine) or is_cpu_or_xpu(engine):
            continue
        for pool in index.of(engine).known:
            manifest = index.class_of(pool)
            volume = _volume(manifest) if manifest else None
            if manifest is None or volume is None or id(manifest) in seen:
                continue
            size, pointer = volume
            if size < needed_bytes:
                seen.add(id(manifest))
                yield Hit(
                    manifest=manifest,
                    pointer=pointer,
                    what=f"the volume for images has {size // BYTES_PER_GIB} GiB"
                    f"{_by_default(pointer)}, and {image} of "
                    f"{said(engine)} takes some {needed_bytes / 1e9:.0f} GB while it arrives",
                    remedy=f"volumeSize: {needed.volume_gib}Gi",
                )


def _by_default(pointer: str) -> str:
    """Where nobody wrote its size, for a sentence."""
    if pointer == _FIELD:
        return f" by default, as {_DATA['bottlerocket']} is not among the blockDeviceMappings"
    return " by default" if pointer == "/spec" else ""


def _volume(manifest: Manifest) -> tuple[int, str] | None:
    """The bytes of the volume that holds images, and where they stand; None if not known."""
    family = known_system(manifest)
    if family is None or within(manifest.value, "spec", "instanceStorePolicy"):
        return None
    volumes = mappings(within(manifest.value, "spec", "blockDeviceMappings"))
    if not volumes:
        return _DEFAULT_GIB * BYTES_PER_GIB, "/spec"
    holds = _DATA.get(family, _ROOT)
    for index, volume in enumerate(volumes):
        if text(volume.get("deviceName")) == holds:
            size = quantity(within(volume, "ebs", "volumeSize"))
            place = f"{_FIELD}/{index}/ebs/volumeSize"
            return (int(size), place) if size else None
    # What is not written is as the system's image has it; of a root volume that is not known.
    return (_DEFAULT_GIB * BYTES_PER_GIB, _FIELD) if holds in _DATA.values() else None


RULE = Rule(
    code="node-volume-too-small",
    severity=Severity.WARNING,
    title="The node's volume must hold the engine's image",
    why=(
        "An image is there twice while it arrives, as layers and as files. The default of 20 GiB "
        "fills up: the pull fails with `no space left on device`, or the node comes under disk "
        "pressure and evicts the pod, and Karpenter makes the next node just as small."
    ),
    remedy="a volume of at least 60Gi, or instanceStorePolicy: RAID0 where the nodes have disks",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="karpenter.sh/docs/concepts/nodeclasses, spec.blockDeviceMappings: 20Gi",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/vllm-project/vllm/issues/17163: an image of 25 GB, nodes of 50 GB "
            "run full",
        ),
        Source(
            origin=Origin.OURS,
            where="the reference case's image of 8.9 GB, and 2.2 times as much unpacked",
        ),
    ),
    check=_check,
)
