"""`add-init-container` and `add-container`: one more container in the pod."""

from firstlight.manifests.draft import Draft, listed
from firstlight.manifests.json_values import copied, covers
from firstlight.manifests.operations.for_engine import ForEngine
from firstlight.manifests.operations.volume import have_volume
from firstlight.techniques.operations import AddContainer, AddInitContainer

_FIELDS = ("initContainers", "containers")


def add_container(draft: Draft, operation: AddContainer | AddInitContainer) -> None:
    """Have the container behind those that are there, unless the pod has it."""
    field = _FIELDS[isinstance(operation, AddContainer)]
    wanted = copied(operation.container)
    if isinstance(operation, AddContainer):
        for volume in operation.volumes:
            have_volume(draft, volume)
    following = None
    if isinstance(operation, AddInitContainer) and operation.for_engine is not None:
        following = ForEngine(draft, operation.for_engine, wanted)
    for other in _FIELDS:
        for at, there in enumerate(draft.pod.get(other) or []):
            if there.get("name") != wanted["name"]:
                continue
            if other == field and following is not None:
                # It is ours: what the card says of it now counts, what else it has stays.
                there.update(wanted)
                following.put_into(there)
                return
            if other == field and covers(there, wanted):
                return
            raise draft.refusal(
                f"the pod has another container called {wanted['name']} "
                f"({_place(draft, other, at)})",
                remedy="give that one another name, or take it away",
            )
    if following is not None:
        following.put_into(wanted)
    listed(draft.pod, field).append(wanted)


def _place(draft: Draft, field: str, at: int) -> str:
    return draft.before.manifest.place(f"{draft.before.pod_pointer}/{field}/{at}")
