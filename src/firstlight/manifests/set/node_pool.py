"""
Which nodes there may be, and when they go: Karpenter's NodePool.

A Deployment of strategy Recreate leaves its node empty for a moment at every change, and
Karpenter takes an empty node at once unless it is told to wait. Expiry is not held back by
a disruption budget, so while starts are measured nodes do not expire either.
"""

from firstlight.manifests.intent import Intent
from firstlight.manifests.karpenter_references import CLASS_GROUP, CLASS_KIND
from firstlight.manifests.objects import Value
from firstlight.manifests.set.gpu_instances import arch_of, of_one_kind, with_enough_gpus
from firstlight.manifests.set.part import Part

API_VERSION = "karpenter.sh/v1"
GPU = "nvidia.com/gpu"
_RETENTION = "5m"
_EXPIRY = "720h"
_NOBODY = "0"
_MOST_GPUS_OF_A_NODE = 8
"""Of an instance that is not in the table."""


def node_pool(intent: Intent) -> Part:
    """The NodePool."""
    disruption: Value = {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": intent.retention or _RETENTION,
    }
    if intent.experiment:
        disruption["budgets"] = [{"nodes": _NOBODY}]
    return Part(
        objects=(
            {
                "apiVersion": API_VERSION,
                "kind": "NodePool",
                "metadata": {"name": intent.cluster_wide_name},
                "spec": {
                    "template": {
                        "spec": {
                            "nodeClassRef": {
                                "group": CLASS_GROUP,
                                "kind": CLASS_KIND,
                                "name": intent.cluster_wide_name,
                            },
                            "requirements": list(_requirements(intent)),
                            "taints": [{"key": GPU, "value": "true", "effect": "NoSchedule"}],
                            "expireAfter": "Never" if intent.experiment else _EXPIRY,
                        }
                    },
                    "limits": {GPU: str(_most_gpus(intent))},
                    "disruption": disruption,
                },
            },
        ),
        assumptions=_assumptions(intent),
    )


def _requirements(intent: Intent) -> tuple[Value, ...]:
    wanted: list[tuple[str, tuple[str, ...]]] = [
        ("kubernetes.io/arch", (arch_of(intent),)),
        ("kubernetes.io/os", ("linux",)),
        ("karpenter.sh/capacity-type", intent.capacity_types),
        ("node.kubernetes.io/instance-type", intent.instance_types),
        ("karpenter.k8s.aws/instance-family", intent.instance_families),
        ("karpenter.k8s.aws/instance-gpu-name", (intent.gpu.type,) if intent.gpu.type else ()),
        (
            "karpenter.k8s.aws/instance-gpu-count",
            () if intent.instance_types else (str(intent.gpu.count),),
        ),
        ("topology.kubernetes.io/zone", intent.zones),
    ]
    return tuple(
        {"key": key, "operator": "In", "values": list(values)} for key, values in wanted if values
    )


def _most_gpus(intent: Intent) -> int:
    """A node for each replica, and one more: a node of another class begins beside the old one.

    A limit below what one instance has would keep Karpenter from making any.
    """
    return _gpus_of_a_node(intent) * (intent.replicas + 1)


def _gpus_of_a_node(intent: Intent) -> int:
    """Of the largest that it may be: a pod leaves the GPUs it does not ask for to nobody."""
    if not intent.instance_types:
        return intent.gpu.count
    found = with_enough_gpus(intent)
    counts = [one.gpus for one in found.known]
    if found.unknown:
        counts += [_MOST_GPUS_OF_A_NODE, intent.gpu.count]
    return max(counts)


def _assumptions(intent: Intent) -> tuple[str, ...]:
    found = []
    if intent.capacity is None:
        found.append("capacity was not stated: nodes are on-demand")
    if intent.retention is None:
        found.append(
            f"retention was not stated: an empty node stays for {_RETENTION}, since Recreate "
            "leaves it empty for a moment at every change"
        )
    if not intent.zones:
        found.append(f"zones was not stated: any zone of {intent.region} that has a subnet will do")
    a_node = _gpus_of_a_node(intent)
    found.append(
        f"the NodePool makes nodes with at most {_most_gpus(intent)} GPUs together: a node more "
        "than there are replicas"
        + (f", of up to {a_node} GPUs each" if a_node != intent.gpu.count else "")
    )
    if unknown := of_one_kind(intent).unknown:
        found.append(
            f"firstlight's table of instances does not have {' and '.join(unknown)}: whether the "
            "pod fits onto such a node is not judged, and its processors are taken for amd64"
        )
    if arch_of(intent) != "amd64":
        found.append(
            f"nodes are {arch_of(intent)}: the image, and that of firstlight, must be made for it"
        )
    if intent.experiment:
        found.append(
            "experiment: nodes do not expire and are not consolidated, empty ones included, so "
            "they cost money until the NodeClaims are deleted"
        )
    return tuple(found)
