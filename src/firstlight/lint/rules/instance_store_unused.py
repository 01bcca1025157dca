"""
Nodes with disks of their own whose images lie on EBS.

A note, because the disks may be meant for something else, or mounted by an AMI that cannot be
seen here.
"""

from collections.abc import Iterator

from firstlight.lint.engine_pods import engine_pods, said
from firstlight.lint.node_systems import known_system
from firstlight.lint.pools import Pool, PoolIndex
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.manifests.set.instance_store import WITH_NVME
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import mappings, natural, text, within
from firstlight.techniques.sources import Origin, Source

_MOUNTS = ("nvme", "local-disk", "localstorage", "mdadm", "ephemeral-storage")
"""Words of user data that does it by itself."""
_FAST_MIB_S = 500
"""Who asks EBS for this much has thought of it."""


def _check(scene: Scene) -> Iterator[Hit]:
    seen = set[int]()
    index = PoolIndex(scene)
    for engine in engine_pods(scene):
        for pool in index.of(engine).known:
            families = _families(pool)
            manifest = index.class_of(pool)
            if manifest is None or id(manifest) in seen or not families:
                continue
            if families <= WITH_NVME and _leaves_disks(manifest):
                seen.add(id(manifest))
                yield Hit(
                    manifest=manifest,
                    pointer="/spec",
                    what=f"the nodes of {said(engine)} are of {', '.join(sorted(families))}, which "
                    "have disks of their own, and instanceStorePolicy is not set: images are "
                    "unpacked on EBS",
                )


def _families(pool: Pool) -> frozenset[str]:
    """The families that its nodes can be of; empty where others are possible."""
    types = pool.required.get("node.kubernetes.io/instance-type", ())
    named = pool.required.get("karpenter.k8s.aws/instance-family", ())
    return frozenset(one.partition(".")[0] for one in types) or frozenset(named)


def _leaves_disks(manifest: Manifest) -> bool:
    spec = within(manifest.value, "spec")
    if within(spec, "instanceStorePolicy") is not None:
        return False
    if known_system(manifest) is None:
        return False
    data = text(value_at(manifest.value, "/spec/userData")).lower()
    volumes = mappings(within(spec, "blockDeviceMappings"))
    fast = any((natural(within(v, "ebs", "throughput")) or 0) >= _FAST_MIB_S for v in volumes)
    return not fast and not any(word in data for word in _MOUNTS)


RULE = Rule(
    code="instance-store-unused",
    severity=Severity.NOTE,
    title="Nodes that have NVMe disks should keep images and pods on them",
    why=(
        "Unless it is told to, Karpenter ignores the disks that come with the instance, and "
        "containerd unpacks the engine's image onto a gp3 volume of 125 MiB/s. Arithmetic, not a "
        "measurement: some 20 GB of files at that rate are 150 s of writing, whatever the network "
        "brings; less where the page cache takes them first. The disks are paid for anyway."
    ),
    remedy="instanceStorePolicy: RAID0",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="karpenter.sh/docs/concepts/nodeclasses, spec.instanceStorePolicy",
        ),
        Source(
            origin=Origin.OURS,
            where="computed: the reference case's image of 8.9 GB, 2.2 times as much unpacked, "
            "at gp3's 125 MiB/s",
        ),
    ),
    check=_check,
)
