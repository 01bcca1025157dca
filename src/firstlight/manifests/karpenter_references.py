"""
How pods, Karpenter's pools and their classes refer to each other.

Karpenter labels its nodes with their pool, and pods select them by that label or by a
required affinity to it. A pool refers to its class by group, kind and name.
"""

from collections.abc import Mapping
from typing import Any

POOL_LABEL = "karpenter.sh/nodepool"
POOL_KIND = "NodePool"
CLASS_GROUP = "karpenter.k8s.aws"
CLASS_KIND = "EC2NodeClass"


def pools_of(pod: Mapping[str, Any]) -> tuple[str, ...]:
    """The pools that a pod asks for by name, each once; empty where any will do."""
    selected = (pod.get("nodeSelector") or {}).get(POOL_LABEL)
    matched = (str(value) for match in pool_matches(pod) for value in match.get("values") or [])
    return tuple(dict.fromkeys([*([str(selected)] if selected else []), *matched]))


def required_terms(pod: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of the pod's required affinity to nodes; one of them has to fit."""
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    return list(required.get("nodeSelectorTerms") or [])


def pool_matches(pod: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The expressions of the pod's required affinity that choose pools by name."""
    return [
        match
        for term in required_terms(pod)
        for match in term.get("matchExpressions") or []
        if match.get("key") == POOL_LABEL and match.get("operator") == "In"
    ]


def class_of(pool: Mapping[str, Any]) -> str | None:
    """The EC2NodeClass of a pool; None where it names none, or a class of another cloud."""
    template = ((pool.get("spec") or {}).get("template") or {}).get("spec") or {}
    reference = template.get("nodeClassRef") or {}
    group, kind = reference.get("group", CLASS_GROUP), reference.get("kind", CLASS_KIND)
    name = reference.get("name")
    return str(name) if name and (group, kind) == (CLASS_GROUP, CLASS_KIND) else None
