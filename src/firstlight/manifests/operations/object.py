"""
`add-object` and `set-field`: objects beside the workload.

A field is set in an object that is there. Which one is meant is told by the workload: the
NodePool that its pods select, and the class of that pool; else there must be only one.
"""

from typing import Any

from firstlight.manifests.draft import Draft, listed
from firstlight.manifests.drafted_nodes import class_in, pool_in
from firstlight.manifests.found_parameters import UNWRITTEN_NAMESPACE
from firstlight.manifests.json_values import copied, covers, same
from firstlight.manifests.karpenter_references import CLASS_KIND, POOL_KIND
from firstlight.manifests.kinds import kind_of
from firstlight.manifests.objects import Manifest, Value
from firstlight.readers.json_pointer import set_at, value_at
from firstlight.techniques.operations import AddObject, SetField

_MOUNTPOINT = "s3.csi.aws.com"


def add_object(draft: Draft, operation: AddObject) -> None:
    """Have the object in the set, unless it is there."""
    wanted: dict[str, Any] = copied(operation.object)
    _let_user_read(draft, wanted)
    meta = wanted.get("metadata") or {}
    if not draft.before.namespace and meta.get("namespace") == UNWRITTEN_NAMESPACE:
        # Whoever applies them says it for both.
        del meta["namespace"]
    identity = Manifest(value=wanted).identity
    for value, place in draft.others(kind_of(wanted)):
        if Manifest(value=value).identity == identity:
            if covers(value, wanted):
                return
            raise draft.refusal(
                f"there is another {identity} already ({place})",
                remedy="give that one another name, or take it away",
            )
    draft.added.append(wanted)


def _let_user_read(draft: Draft, wanted: dict[str, Any]) -> None:
    """
    Let a pod that is not root read a bucket that Mountpoint mounts.

    Mountpoint shows its files to the user who mounted them only, and that is root.
    """
    spec = wanted.get("spec") or {}
    if (spec.get("csi") or {}).get("driver") != _MOUNTPOINT:
        return
    context = {
        **(draft.pod.get("securityContext") or {}),
        **(draft.container.get("securityContext") or {}),
    }
    user, group = context.get("runAsUser"), context.get("runAsGroup") or context.get("fsGroup")
    if not user and not context.get("runAsNonRoot"):
        return
    options = listed(spec, "mountOptions")
    options.append("allow-other")
    options += [f"uid={user}"] if user else []
    options += [f"gid={group}"] if group else []
    draft.assume(
        "the engine does not run as root, so the bucket is mounted with allow-other"
        + ("" if user else "; whom it runs as is in the image, and is not needed to read")
    )


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
    if kind == kind_of(draft.before.manifest.value):
        return draft.values[draft.position], draft.before.manifest.place()
    if kind in {POOL_KIND, CLASS_KIND}:
        pool = pool_in(draft)
        return pool if kind == POOL_KIND else class_in(draft, pool)
    found = draft.others(kind)
    if not found:
        raise draft.refusal(
            f"it changes a {kind}, and there is none among the objects",
            remedy=f"give the {kind} too",
        )
    if len(found) > 1:
        names = ", ".join(str(v["metadata"]["name"]) for v, _ in found)
        raise draft.refusal(
            f"which {kind} is meant cannot be told: {names}", remedy="give only the one"
        )
    return found[0]
