"""
The whole set before any technique, in the order in which the parts need each other.

Nothing in it says how the weights come: the engine is given the model's place in S3, and
the baseline's own card mounts it, as the next card streams it.

What the cluster must have already is said in words: an operator, a driver or a role is
installed by whoever runs the cluster, not by a manifest of one model.
"""

from firstlight.manifests.intent import Intent
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.set.namespace import namespace
from firstlight.manifests.set.node_class import node_class
from firstlight.manifests.set.node_pool import node_pool
from firstlight.manifests.set.part import Part
from firstlight.manifests.set.service import service
from firstlight.manifests.set.service_account import identity_prerequisite, service_account
from firstlight.manifests.set.workload import workload

_DRIVER = (
    "the Mountpoint for Amazon S3 CSI driver (add-on aws-mountpoint-s3-csi-driver), with a "
    "role that may read the bucket, for step 0 only; its pods must tolerate the taint "
    "nvidia.com/gpu"
)
_MAKERS = (namespace, service_account, node_class, node_pool, service, workload)


def parts(intent: Intent) -> tuple[Part, ...]:
    """Every part, in order."""
    return tuple(make(intent) for make in _MAKERS)


def bare_objects(intent: Intent) -> ObjectSet:
    """The objects that every step has."""
    return ObjectSet(
        manifests=tuple(Manifest(value=value) for part in parts(intent) for value in part.objects)
    )


def assumptions(intent: Intent) -> tuple[str, ...]:
    """What was taken for granted, in sentences for whoever applies it."""
    return tuple(sentence for part in parts(intent) for sentence in part.assumptions)


def prerequisites(intent: Intent) -> tuple[str, ...]:
    """What the cluster must have before the objects do anything."""
    plugin = (
        "nothing for the GPUs: Bottlerocket's NVIDIA variant brings driver and device plugin"
        if intent.node_system == "bottlerocket"
        else "NVIDIA's device plugin, tolerating the taint nvidia.com/gpu: the AL2023 image that "
        "Karpenter picks for GPU instances brings the driver and not the plugin"
    )
    return (
        f"Karpenter 1.x in cluster {intent.cluster}, allowed to make {_nodes(intent)} nodes",
        plugin,
        _DRIVER,
        identity_prerequisite(intent),
    )


def _nodes(intent: Intent) -> str:
    named = intent.instance_types or intent.instance_families or (str(intent.gpu.type),)
    return f"{' or '.join(intent.capacity_types)} {' or '.join(named)}"
