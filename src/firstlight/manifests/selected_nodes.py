"""
Which of Karpenter's pools a pod's nodes come from.

Karpenter labels its nodes with their pool, and pods select them by that label or by a
required affinity to it. A pool refers to its class by name.
"""

from typing import Any

POOL_LABEL = "karpenter.sh/nodepool"


def pool_name(pod: dict[str, Any]) -> str | None:
    """The pool that the pod selects; None where it selects none by name, or several."""
    if named := (pod.get("nodeSelector") or {}).get(POOL_LABEL):
        return str(named)
    found = {str(value) for match in pool_matches(pod) for value in match.get("values") or []}
    return found.pop() if len(found) == 1 else None


def pool_matches(pod: dict[str, Any]) -> list[dict[str, Any]]:
    """The expressions of the pod's required affinity that choose pools by name."""
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    return [
        match
        for term in required.get("nodeSelectorTerms") or []
        for match in term.get("matchExpressions") or []
        if match.get("key") == POOL_LABEL and match.get("operator") == "In"
    ]


def class_name(pool: dict[str, Any]) -> str | None:
    """The class of a pool's nodes; None where the pool does not say it."""
    template = ((pool.get("spec") or {}).get("template") or {}).get("spec") or {}
    found = (template.get("nodeClassRef") or {}).get("name")
    return str(found) if found else None


def ami_family(node_class: dict[str, Any]) -> str | None:
    """The family of a class's images, in small letters; None where it does not say one."""
    spec = node_class.get("spec") or {}
    if spec.get("amiFamily"):
        return str(spec["amiFamily"]).lower()
    for term in spec.get("amiSelectorTerms") or []:
        if alias := term.get("alias"):
            return str(alias).partition("@")[0].lower()
    return None
