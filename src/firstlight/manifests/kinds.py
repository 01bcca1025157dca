"""
What a kind is, told from kinds of the same name in other APIs.

Knative has a Service that makes pods, Google's Config Connector a NodePool that is no
Karpenter's, and anybody may define a Deployment. What is known here of a kind holds for that of
one API group only; of any other nothing is known but what it looks like.
"""

from collections.abc import Mapping
from typing import Any

_OLD = "extensions"
"""Where Kubernetes had its workloads before 1.16; people still have such files."""
_GROUPS: Mapping[str, frozenset[str]] = {
    kind: frozenset(groups)
    for groups, kinds in {
        ("",): (
            "ConfigMap",
            "Namespace",
            "Node",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Pod",
            "ReplicationController",
            "Secret",
            "Service",
            "ServiceAccount",
        ),
        ("apps", _OLD): ("DaemonSet", "Deployment", "ReplicaSet"),
        ("apps",): ("StatefulSet",),
        ("autoscaling",): ("HorizontalPodAutoscaler",),
        ("batch",): ("CronJob", "Job"),
        ("karpenter.k8s.aws",): ("EC2NodeClass",),
        ("karpenter.sh",): ("NodeClaim", "NodePool"),
        ("keda.sh",): ("ScaledJob", "ScaledObject"),
        ("leaderworkerset.x-k8s.io",): ("LeaderWorkerSet",),
        ("networking.k8s.io", _OLD): ("NetworkPolicy",),
        ("policy",): ("PodDisruptionBudget",),
        ("serving.kserve.io",): ("ClusterServingRuntime", "InferenceService", "ServingRuntime"),
        ("storage.k8s.io",): ("StorageClass",),
    }.items()
    for kind in kinds
}


def known_kind(kind: str, group: str) -> str:
    """
    A kind under a name that no other API's has: as it is where it is the one known here.

    Args:
        kind: as an object says it.
        group: of its API; empty for the core group.
    """
    return kind if group in _GROUPS.get(kind, {group}) else f"{kind}.{group}"


def is_known(value: Mapping[str, Any]) -> bool:
    """Whether an object's kind is one of which more is known than what it looks like."""
    return kind_of(value) in _GROUPS


def kind_of(value: Mapping[str, Any]) -> str:
    """The kind of an object, told from kinds of the same name in other APIs."""
    return known_kind(str(value.get("kind") or ""), group_of(value))


def group_of(value: Mapping[str, Any]) -> str:
    """The API group of an object; empty for the core group."""
    group, slash, _ = str(value.get("apiVersion") or "").partition("/")
    return group if slash else ""
