"""
`new-node-class`: nodes of another class, under another name.

The class and the pool that are there stay, because others may use them and because going
back is then one apply. The copies differ by their names and by the fields that are given.
"""

from firstlight.manifests.ami_family import ami_family
from firstlight.manifests.draft import Draft
from firstlight.manifests.json_values import copied, same
from firstlight.manifests.karpenter_references import (
    POOL_LABEL,
    class_of,
    pool_matches,
    pool_of,
)
from firstlight.manifests.live import as_written
from firstlight.manifests.objects import Value
from firstlight.readers.json_pointer import set_at, value_at
from firstlight.techniques.operations import NewNodeClass

_USER_DATA = "/spec/userData"


def new_node_class(draft: Draft, operation: NewNodeClass) -> None:
    """Write the class and its pool anew, and let the workload select them."""
    pool, pool_place = _pool(draft)
    node_class, place = _class(draft, pool, pool_place)
    _check_family(draft, operation, node_class, place)
    if all(same(value_at(node_class, p), v) for p, v in operation.fields.items()):
        return
    data = value_at(node_class, _USER_DATA)
    if data is not None and not same(data, operation.fields.get(_USER_DATA, data)):
        raise draft.refusal(
            f"the class has userData of its own ({place})",
            remedy="put the two scripts together by hand, in a class of another name",
        )
    new_class = _copy(node_class, operation.suffix)
    for pointer, value in operation.fields.items():
        if blocking := set_at(new_class, pointer, value):
            raise draft.refusal(
                f"{pointer} cannot be set in {place}: {blocking} is something else there",
                remedy="put the class right first",
            )
    new_pool = _copy(pool, operation.suffix)
    new_pool["spec"]["template"]["spec"]["nodeClassRef"]["name"] = new_class["metadata"]["name"]
    for made in (new_class, new_pool):
        kind, name = made.get("kind"), made["metadata"]["name"]
        if any(v["metadata"].get("name") == name for v, _ in draft.others(str(kind))):
            raise draft.refusal(
                f"there is a {kind} called {name} already",
                remedy="let the workload select it, or take it away",
            )
        draft.added.append(made)
    _select(draft, str(new_pool["metadata"]["name"]))
    draft.assume(
        f"the pool {pool['metadata']['name']} and its class stay as they are; "
        "delete them when nothing selects them any more"
    )


def _pool(draft: Draft) -> tuple[Value, str]:
    pools = draft.others("NodePool")
    selected = pool_of(draft.pod)
    named = [p for p in pools if p[0]["metadata"].get("name") == selected]
    if selected is not None and named:
        return named[0]
    if selected is None and len(pools) == 1:
        return pools[0]
    if not pools or selected is not None:
        raise draft.refusal(
            "it writes the nodes' NodePool and EC2NodeClass anew, and "
            + (f"NodePool/{selected} is" if selected else "they are")
            + " not among the objects",
            remedy="give them too",
        )
    raise draft.refusal(
        "which NodePool the pods use cannot be told: "
        + ", ".join(str(v["metadata"]["name"]) for v, _ in pools),
        remedy=f"let the pods select one by {POOL_LABEL}",
    )


def _class(draft: Draft, pool: Value, pool_place: str) -> tuple[Value, str]:
    wanted = class_of(pool)
    for value, place in draft.others("EC2NodeClass"):
        if value["metadata"].get("name") == wanted:
            return value, place
    raise draft.refusal(
        f"the EC2NodeClass {wanted} of {pool_place} is not among the objects",
        remedy="give it too",
    )


def _check_family(draft: Draft, operation: NewNodeClass, node_class: Value, place: str) -> None:
    family = ami_family(node_class)
    if operation.ami_families and family not in operation.ami_families:
        allowed = " or ".join(operation.ami_families)
        raise draft.refusal(
            f"it needs nodes of {allowed}, and those of {place} are of "
            f"{family or 'a family that the class does not name'}",
            remedy=f"leave it out, or choose images by an alias such as {allowed}@VERSION",
        )


def _copy(value: Value, suffix: str) -> Value:
    # A list out of a cluster has in it what the server wrote: hashes, finalizers, who owns what.
    made: Value = as_written(copied(value))
    made["metadata"]["name"] = f"{made['metadata']['name']}{_dashed(suffix)}"
    return made


def _dashed(suffix: str) -> str:
    return suffix if suffix.startswith("-") else f"-{suffix}"


def _select(draft: Draft, pool: str) -> None:
    pod = draft.pod
    matches = pool_matches(pod)
    for match in matches:
        match["values"] = [pool]
    if not matches or POOL_LABEL in (pod.get("nodeSelector") or {}):
        pod["nodeSelector"] = (pod.get("nodeSelector") or {}) | {POOL_LABEL: pool}
