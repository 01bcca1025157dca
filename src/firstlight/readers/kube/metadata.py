"""What every object says about itself: who it is, and since when it is there."""

from collections.abc import Mapping
from typing import Any

from firstlight.core.marks import Clock
from firstlight.readers.kube.fields import mapping, text, within
from firstlight.readers.kube.model import Stamp
from firstlight.readers.kube.stamps import Origin


def origin_of(obj: Mapping[str, Any], kind: str, artefact: str, line: int | None) -> Origin:
    """How evidence names the object."""
    name = "/".join(filter(None, [namespace_of(obj), name_of(obj)]))
    return Origin(artefact=artefact, thing=f"{kind} {name}".rstrip(), line=line)


def name_of(obj: Mapping[str, Any]) -> str:
    """Empty for a part of an object."""
    return text(within(obj, "metadata", "name"))


def namespace_of(obj: Mapping[str, Any]) -> str:
    """Empty for a part of an object, and for what is in none."""
    return text(within(obj, "metadata", "namespace"))


def created_of(obj: Mapping[str, Any], origin: Origin) -> Stamp | None:
    """When the API server took the object in."""
    holder = mapping(obj.get("metadata"))
    return origin.stamp(holder, "creationTimestamp", Clock.CONTROL_PLANE, within="metadata")
