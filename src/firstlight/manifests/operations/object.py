"""
`add-object` and `set-field`: objects beside the workload.

A field is set in an object that is there. Which one is meant is told by the workload: the
NodePool that its pods select, and the class of that pool; else there must be only one.
"""

from typing import Any

from firstlight.manifests.draft import Draft
from firstlight.manifests.found_parameters import UNWRITTEN_NAMESPACE
from firstlight.manifests.json_values import copied, covers, same
from firstlight.manifests.karpenter_references import POOL_LABEL, class_of, pool_of
from firstlight.manifests.objects import Manifest, Value
from firstlight.readers.json_pointer import set_at, value_at
from firstlight.techniques.operations import AddObject, SetField


def add_object(draft: Draft, operation: AddObject) -> None:
    """Have the object in the set, unless it is there."""
    wanted: dict[str, Any] = copied(operation.object)
    meta = wanted.get("metadata") or {}
    if not draft.before.namespace and meta.get("namespace") == UNWRITTEN_NAMESPACE:
        # Whoever applies them says it for both.
        del meta["namespace"]
    identity = Manifest(value=wanted).identity
    for value, place in draft.others(identity.kind):
        if Manifest(value=value).identity == identity:
            if covers(value, wanted):
                return
            raise draft.refusal(
                f"there is another {identity} already ({place})",
                remedy="give that one another name, or take it away",
            )
    draft.added.append(wanted)


def set_field(draft: Draft, operation: SetField) -> None:
    """Give a field of another object its value."""
    value, place = _meant(draft, operation.kind)
    if same(value_at(value, operation.path), operation.value):
        return
    if blocking := set_at(value, operation.path, operation.value):
        raise draft.refusal(
            f"{operation.path} cannot be set in {place}: {blocking} is something else there",
            remedy="put the object right first",
        )


def _meant(draft: Draft, kind: str) -> tuple[Value, str]:
    if kind == draft.before.manifest.identity.kind:
        return draft.values[draft.position], draft.before.manifest.place()
    found = draft.others(kind)
    if not found:
        raise draft.refusal(
            f"it changes a {kind}, and there is none among the objects",
            remedy=f"give the {kind} too",
        )
    if len(found) > 1:
        selected = _selected(draft, kind)
        found = [f for f in found if (f[0].get("metadata") or {}).get("name") == selected] or found
    if len(found) > 1:
        names = ", ".join(str(v["metadata"]["name"]) for v, _ in found)
        raise draft.refusal(
            f"which {kind} is meant cannot be told: {names}",
            remedy=f"give only the one, or let the pods select their pool by {POOL_LABEL}",
        )
    return found[0]


def _selected(draft: Draft, kind: str) -> str | None:
    pool = pool_of(draft.pod)
    if kind == "NodePool":
        return pool
    pools = [v for v, _ in draft.others("NodePool") if v["metadata"].get("name") == pool]
    return class_of(pools[0]) if kind == "EC2NodeClass" and pools else None
