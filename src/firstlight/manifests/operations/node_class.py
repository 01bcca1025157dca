"""
`new-node-class`: nodes of another class, under another name.

The class and the pool that are there stay, because others may use them and because going
back is then one apply. The copies differ by their names and by the fields that are given.
Copies of an earlier drawing are known by their name and, where a script is one of the
fields, by the line in which it says what it is; those are changed in place.
"""

from firstlight.manifests.ami_family import ami_family
from firstlight.manifests.draft import Draft
from firstlight.manifests.drafted_nodes import class_in, pool_in
from firstlight.manifests.json_values import copied, same
from firstlight.manifests.karpenter_references import CLASS_KIND, POOL_LABEL, pool_matches
from firstlight.manifests.live import as_written
from firstlight.manifests.objects import Value
from firstlight.readers.json_pointer import set_at, value_at
from firstlight.techniques.operations import NewNodeClass

_USER_DATA = "/spec/userData"
_MARK = "# firstlight:"


def new_node_class(draft: Draft, operation: NewNodeClass) -> None:
    """Write the class and its pool anew, and let the workload select them."""
    pool = pool_in(draft)
    node_class, place = class_in(draft, pool)
    _check_family(draft, operation, node_class, place)
    if all(same(value_at(node_class, p), v) for p, v in operation.fields.items()):
        return
    if _is_own(node_class, operation):
        _set_fields(draft, operation, node_class, place)
        draft.assume(
            f"{CLASS_KIND}/{node_class['metadata']['name']} was made for this and changes in "
            "place: Karpenter replaces the nodes of it, one after the other (drift)"
        )
        return
    data = value_at(node_class, _USER_DATA)
    if data and not same(data, operation.fields.get(_USER_DATA, data)):
        raise draft.refusal(
            f"the class has userData of its own ({place})",
            remedy="put the two scripts together by hand, in a class of another name",
        )
    new_class = _copy(node_class, operation.suffix)
    _set_fields(draft, operation, new_class, place)
    new_pool = _copy(pool[0], operation.suffix)
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
        f"the pool {pool[0]['metadata']['name']} and its class stay as they are; "
        "delete them when nothing selects them any more"
    )


def _is_own(node_class: Value, operation: NewNodeClass) -> bool:
    """Whether an earlier drawing made the class, with other values of the fields."""
    if not str(node_class["metadata"].get("name")).endswith(_dashed(operation.suffix)):
        return False
    wanted = operation.fields.get(_USER_DATA)
    return wanted is None or _marks(value_at(node_class, _USER_DATA)) == _marks(wanted) != []


def _marks(script: object) -> list[str]:
    """The lines by which a script of firstlight's says what it is for."""
    return [line for line in str(script or "").split("\n") if line.startswith(_MARK)]


def _set_fields(draft: Draft, operation: NewNodeClass, node_class: Value, place: str) -> None:
    for pointer, value in operation.fields.items():
        if blocking := set_at(node_class, pointer, value):
            raise draft.refusal(
                f"{pointer} cannot be set in {place}: {blocking} is something else there",
                remedy="put the class right first",
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
