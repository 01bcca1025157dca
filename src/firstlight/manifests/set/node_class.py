"""
What a node is made of: Karpenter's EC2NodeClass.

The volume that holds the images has to hold the engine's twice (see `sizes`); the default
of 20 GiB fills up while the image arrives. On AL2023 that is the root volume, on
Bottlerocket the second one. Where the instances have disks of their own, `RAID0` puts
containerd and the kubelet on those; without, the volume's own rate decides how long the
image takes to unpack.
"""

from math import ceil

from firstlight.core.units import BYTES_PER_GIB
from firstlight.manifests.intent import Intent
from firstlight.manifests.karpenter_references import CLASS_GROUP, CLASS_KIND
from firstlight.manifests.objects import Value
from firstlight.manifests.set.instance_store import families, has_nvme
from firstlight.manifests.set.part import Part
from firstlight.manifests.sizes import ImageOnDisk

API_VERSION = f"{CLASS_GROUP}/v1"
DISCOVERY = "karpenter.sh/discovery"
_SYSTEM_GIB = 4
"""Bottlerocket's first volume: the system and nothing else."""
_MIB = 1024**2
_GP3_MIB_S = 125
"""What a gp3 volume writes when nobody asks for more."""
_FAST: dict[str, int] = {"throughput": 1000, "iops": 4000}
"""The most that Karpenter takes for gp3, and the IOPS that EC2 wants for it (4 a MiB/s)."""


def node_class(intent: Intent) -> Part:
    """The EC2NodeClass."""
    image = ImageOnDisk.of(intent.image_size, intent.image_unpacked_size)
    nvme = has_nvme(intent)
    spec: Value = {
        "amiSelectorTerms": [{"alias": f"{intent.node_system}@{intent.ami_version or 'latest'}"}],
        "role": intent.node_role or f"KarpenterNodeRole-{intent.cluster}",
        "subnetSelectorTerms": [{"tags": {DISCOVERY: intent.cluster}}],
        "securityGroupSelectorTerms": [{"tags": {DISCOVERY: intent.cluster}}],
        "blockDeviceMappings": _volumes(intent, image, fast=not nvme),
    }
    if nvme:
        spec["instanceStorePolicy"] = "RAID0"
    return Part(
        objects=(
            {
                "apiVersion": API_VERSION,
                "kind": CLASS_KIND,
                "metadata": {"name": intent.cluster_wide_name},
                "spec": spec,
            },
        ),
        assumptions=(*_defaults(intent), *_sized(intent, image), *_stored(intent, image, nvme)),
    )


def _volumes(intent: Intent, image: ImageOnDisk, *, fast: bool) -> list[Value]:
    held = _volume(image.volume_gib, **(_FAST if fast else {}))
    if intent.node_system == "bottlerocket":
        return [
            {"deviceName": "/dev/xvda", "ebs": _volume(_SYSTEM_GIB)},
            {"deviceName": "/dev/xvdb", "ebs": held},
        ]
    return [{"deviceName": "/dev/xvda", "ebs": held}]


def _volume(gib: int, **more: int) -> Value:
    return {
        "volumeSize": f"{gib}Gi",
        "volumeType": "gp3",
        "encrypted": True,
        "deleteOnTermination": True,
        **more,
    }


def _defaults(intent: Intent) -> tuple[str, ...]:
    found = []
    if intent.node_class is None:
        found.append("node_class was not stated: nodes run AL2023")
    if intent.ami_version is None:
        found.append(
            "ami_version was not stated: nodes run the latest AMI, so Karpenter replaces them "
            "when a new one comes out"
        )
    if intent.node_role is None:
        found.append(
            f"node_role was not stated: nodes have KarpenterNodeRole-{intent.cluster}, as "
            "Karpenter's own guide makes it"
        )
    found.append(
        f"subnets and security groups carry the tag {DISCOVERY}: {intent.cluster}, as "
        "Karpenter's own guide has it"
    )
    return tuple(found)


def _sized(intent: Intent, image: ImageOnDisk) -> tuple[str, ...]:
    packed, unpacked = image.packed_bytes / 1e9, image.unpacked_bytes / 1e9
    told = f"the volume has {image.volume_gib} GiB for"
    if intent.image_unpacked_size and intent.image_size:
        return ()
    missing = "image_unpacked_size" if intent.image_size else "image_size"
    like = "" if intent.image_unpacked_size or intent.image_size else ", as in the reference case"
    sentence = (
        f"{missing} was not stated: {told} {packed:.1f} GB of layers{like} and {unpacked:.1f} GB "
        "of files, 2.2 times as much"
    )
    return (sentence,)


def _stored(intent: Intent, image: ImageOnDisk, nvme: bool | None) -> tuple[str, ...]:  # noqa: FBT001
    known = ", ".join(families(intent)) or f"the instances with {intent.gpu.type}"
    if nvme:
        sentence = (
            f"nvme was not stated: {known} have disks of their own by firstlight's table, which "
            "hold images and pods (RAID0)"
        )
        return () if intent.nvme else (sentence,)
    slow_s = ceil(image.unpacked_bytes / _MIB / _GP3_MIB_S)
    why = f"{known} have no" if nvme is False else f"nothing tells whether {known} all have"
    return (
        f"{why} disks of their own: images are unpacked on the EBS volume, which gets "
        f"{_FAST['throughput']} MiB/s and {_FAST['iops']} IOPS at extra cost, since at gp3's "
        f"{_GP3_MIB_S} MiB/s writing {image.unpacked_bytes / BYTES_PER_GIB:.0f} GiB alone takes "
        f"{slow_s} s" + ("" if nvme is False else "; if they have, say nvme: true"),
    )
