"""
A node's volume that cannot hold the engine's image.

How large an image is does not stand in a manifest. vLLM's own is known well enough: the
reference case's, which is smaller than others that people have measured.
"""

import re
from collections.abc import Iterator

from firstlight.core.units import BYTES_PER_GIB
from firstlight.lint.engine_image import is_cpu_or_xpu, is_published
from firstlight.lint.engine_pods import engine_pods, image_of, said
from firstlight.lint.pools import PoolIndex
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.ami_family import ami_family
from firstlight.manifests.objects import Manifest
from firstlight.manifests.sizes import ImageOnDisk
from firstlight.readers.kube.fields import mappings, text, within
from firstlight.techniques.sources import Origin, Source

_DEFAULT_GIB = 20
"""What Karpenter gives nodes of these families whose class says no volume."""
_FAMILIES = frozenset({"al2", "al2023", "bottlerocket"})
_FIELD = "/spec/blockDeviceMappings"
_DATA = {"bottlerocket": "/dev/xvdb"}
_ROOT = "/dev/xvda"
_SIZE = re.compile(r"([0-9]{1,5})(Gi|G|Ti|T)")
_UNITS = {"Gi": 2**30, "G": 10**9, "Ti": 2**40, "T": 10**12}
"""What Karpenter takes."""


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
                    f"{' by default' if pointer == '/spec' else ''}, and {image} of "
                    f"{said(engine)} takes some {needed_bytes / 1e9:.0f} GB while it arrives",
                    remedy=f"volumeSize: {needed.volume_gib}Gi",
                )


def _volume(manifest: Manifest) -> tuple[int, str] | None:
    """The bytes of the volume that holds images, and where they stand; None if not known."""
    family = ami_family(manifest.value)
    if family not in _FAMILIES or within(manifest.value, "spec", "instanceStorePolicy"):
        return None
    volumes = mappings(within(manifest.value, "spec", "blockDeviceMappings"))
    if not volumes:
        return _DEFAULT_GIB * BYTES_PER_GIB, "/spec"
    holds = _DATA.get(family, _ROOT)
    for index, volume in enumerate(volumes):
        if text(volume.get("deviceName")) == holds:
            size = _SIZE.fullmatch(text(within(volume, "ebs", "volumeSize")))
            place = f"{_FIELD}/{index}/ebs/volumeSize"
            return (int(size[1]) * _UNITS[size[2]], place) if size else None
    return None


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
