"""
Which of Karpenter's NodePools a pod's nodes come from, where that is beyond doubt.

A technique that changes nodes has to change those of this pod and of no other. A pod says
its pool by name, in its selector or a required affinity. One that says none may run on any
pool which fits it, so a single pool among the objects is its own only if the pod may run
there at all. Everything else, an affinity that excludes a pool, or leaves a choice of them,
would lose something when one pool is written in its place, and is a reason to refuse.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firstlight.manifests.karpenter_references import POOL_LABEL, required_terms
from firstlight.manifests.node_labels import alternatives, of_pool, selected
from firstlight.manifests.objects import Value
from firstlight.readers.kube.fields import mappings, within
from firstlight.readers.kube.tolerations import KEEPS_AWAY, covers


class Unclear(ValueError):
    """The pool cannot be told; the reason, to be put behind the technique's name."""


def named_pool(pod: Mapping[str, Any]) -> str | None:
    """
    The pool that the pod asks for by name; None where it names none.

    Raises:
        Unclear: it names its node, excludes pools, or leaves a choice.
    """
    if pod.get("nodeName"):
        raise Unclear(f"the pod names its node, {pod['nodeName']}, and comes from no pool")
    selected = (pod.get("nodeSelector") or {}).get(POOL_LABEL)
    terms = [_in_term(term) for term in required_terms(pod)]
    named = {name for term in terms for name in term or ()}
    if selected is not None and all(str(selected) in (term or (selected,)) for term in terms):
        return str(selected)
    if selected is not None:
        raise Unclear(f"the pod selects the pool {selected}, and its affinity another")
    if None in terms and named:
        raise Unclear(
            "the pod's required affinity has alternatives, and not each of them names a pool"
        )
    if len(named) > 1:
        raise Unclear(f"the pods may run on several pools: {', '.join(sorted(named))}")
    return next(iter(named), None)


def chosen_pool(
    pod: Mapping[str, Any], pools: Sequence[tuple[Value, str]]
) -> tuple[Value, str] | None:
    """
    The pool of the pod's nodes, of those that are there, with its place.

    Returns:
        None where it is not among them.

    Raises:
        Unclear: which one it is cannot be told, or the pod may not run there.
    """
    wanted = named_pool(pod)
    if wanted is not None:
        return next((p for p in pools if p[0]["metadata"].get("name") == wanted), None)
    if len(pools) > 1:
        names = ", ".join(str(v["metadata"]["name"]) for v, _ in pools)
        raise Unclear(f"which NodePool the pods use cannot be told: {names}")
    for value, place in pools:
        if obstacle := next(_obstacles(pod, value), None):
            raise Unclear(
                f"the pods name no NodePool, and do not fit the only one among the objects, "
                f"{value['metadata']['name']} ({place}): {obstacle}"
            )
    return pools[0] if pools else None


def _in_term(term: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The pools that an alternative of the affinity allows; None where it names none."""
    found: tuple[str, ...] | None = None
    for match in term.get("matchExpressions") or []:
        if match.get("key") != POOL_LABEL:
            continue
        if match.get("operator") != "In":
            raise Unclear(
                f"the pod's affinity chooses its pool by {match.get('operator')}, and one pool by "
                "name would not be the same"
            )
        values = tuple(str(v) for v in match.get("values") or [])
        found = values if found is None else tuple(v for v in found if v in values)
    return found


def _obstacles(pod: Mapping[str, Any], pool: Mapping[str, Any]) -> Iterator[str]:
    """Why the pod may not run on the pool's nodes."""
    nodes = of_pool(pool)
    for one in nodes.not_fitting(selected(pod)):
        yield f"its nodes do not have the label {one['key']}={one['values'][0]}"
    if not any(nodes.may_fit(asked) for asked in alternatives(pod)):
        yield "its nodes do not have what the pod's required affinity asks for"
    for taint in mappings(within(pool, "spec", "template", "spec", "taints")):
        if taint.get("effect") in KEEPS_AWAY and not _tolerated(pod, taint):
            yield f"the pod does not tolerate its taint {taint.get('key')}"


def _tolerated(pod: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    asked = [
        name
        for container in pod.get("containers") or []
        for name in (container.get("resources") or {}).get("limits") or {}
    ]
    # EKS gives a pod that asks for a device a toleration of the taint of that name.
    return taint.get("key") in asked or any(
        covers(t, taint) for t in pod.get("tolerations") or [] if isinstance(t, dict)
    )
