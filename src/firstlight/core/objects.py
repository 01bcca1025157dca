"""
The few fields of raw Kubernetes objects that everybody looks at.

Objects stay as the server sent them, because they are saved like that. Absent and null
are the same, as they are to Kubernetes.
"""

from typing import Any

Object = dict[str, Any]
"""What an API server sends, as JSON has it."""


def metadata(object_: Object) -> dict[str, Any]:
    """What an object is called, and by whom it is owned."""
    return object_.get("metadata") or {}


def spec(object_: Object) -> dict[str, Any]:
    """What is wanted of it."""
    return object_.get("spec") or {}


def status(object_: Object) -> dict[str, Any]:
    """What is so."""
    return object_.get("status") or {}


def name(object_: Object) -> str:
    """Its name, which a later one may have too."""
    return str(metadata(object_).get("name") or "")


def uid(object_: Object) -> str:
    """What tells an object from all others, also from a later one of its name."""
    return str(metadata(object_).get("uid") or "")


def owners(object_: Object) -> list[dict[str, Any]]:
    """Who owns it, each with kind, name and uid."""
    return metadata(object_).get("ownerReferences") or []


def owner_uids(object_: Object) -> set[str]:
    """The owners, by what tells them from all others."""
    return {str(owner.get("uid")) for owner in owners(object_)}


def controller(object_: Object) -> dict[str, Any] | None:
    """The owner that makes another when this one goes; None where nobody does."""
    return next((owner for owner in owners(object_) if owner.get("controller")), None)


def condition(object_: Object, kind: str) -> dict[str, Any]:
    """A condition; empty where there is none of this kind."""
    found = status(object_).get("conditions") or []
    return next((one for one in found if one.get("type") == kind), {})
