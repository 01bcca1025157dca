"""`add-init-container` and `add-container`: one more container in the pod."""

from typing import Any

from firstlight.manifests.draft import Draft, listed
from firstlight.manifests.json_values import copied, covers
from firstlight.techniques.operations import AddContainer, AddInitContainer

_FIELDS = ("initContainers", "containers")


def add_container(draft: Draft, operation: AddContainer | AddInitContainer) -> None:
    """Have the container behind those that are there, unless the pod has it."""
    field = _FIELDS[isinstance(operation, AddContainer)]
    wanted = copied(operation.container)
    context = _context(draft, wanted) if isinstance(operation, AddInitContainer) else None
    for other in _FIELDS:
        for at, there in enumerate(draft.pod.get(other) or []):
            if there.get("name") != wanted["name"]:
                continue
            if other == field and covers(there, wanted):
                if context is not None and not there.get("securityContext"):
                    there["securityContext"] = context
                return
            raise draft.refusal(
                f"the pod has another container called {wanted['name']} "
                f"({_place(draft, other, at)})",
                remedy="give that one another name, or take it away",
            )
    if context is not None:
        wanted["securityContext"] = context
    listed(draft.pod, field).append(wanted)


def _context(draft: Draft, wanted: dict[str, Any]) -> dict[str, Any] | None:
    """
    Whom it has to run as: the engine, where it runs the engine's image and says nothing.

    What it writes for the engine is the engine's to write to. None where there is nothing
    to say.
    """
    own = draft.container.get("securityContext")
    mine = wanted.get("image") == draft.container.get("image")
    return copied(own) if own and mine and "securityContext" not in wanted else None


def _place(draft: Draft, field: str, at: int) -> str:
    return draft.before.manifest.place(f"{draft.before.pod_pointer}/{field}/{at}")
