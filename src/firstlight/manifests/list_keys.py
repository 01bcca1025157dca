"""
What tells one element of a list from the others.

To Kubernetes some lists are maps: containers by name, mounts by path. Two such lists are
compared element by element, wherever an element stands. Kubernetes says which lists those
are in its types, which are not at hand for custom kinds, so it is told from the elements:
maps that all have the same identifying field, each with another value in it. A few lists
are known by their names, because no one field of theirs will do.
"""

from collections.abc import Sequence
from typing import Any

_Fields = tuple[str, ...]
_ANYWHERE: tuple[_Fields, ...] = (
    ("name",),
    ("mountPath",),
    ("devicePath",),
    ("deviceName",),
    ("topologyKey",),
    ("key",),
    ("key", "operator"),
    ("key", "operator", "values"),
)
_IN_LISTS: dict[str, tuple[_Fields, ...]] = {
    # One volume may be mounted twice, and each path only once; two ports may have one name.
    "volumeMounts": (("mountPath",),),
    "ports": (("containerPort", "protocol"), ("port", "protocol")),
    "startupTaints": (("key", "effect"),),
    "taints": (("key", "effect"),),
    "tolerations": (("key", "operator", "value", "effect"),),
    "topologySpreadConstraints": (("topologyKey",), ("topologyKey", "whenUnsatisfiable")),
}
_ABSENT = {"protocol": "TCP"}
_MAY_LACK_THE_FIRST = "tolerations"
"""One without a key is for every taint."""


def keys(elements: Sequence[Any], *, of: str = "") -> tuple[str, ...] | None:
    """
    The key of each element, in order; None where nothing tells them apart.

    Args:
        elements: a list of an object.
        of: the field that holds the list.
    """
    found = _found(elements, of)
    return None if found is None else found[1]


def single_key(elements: Sequence[Any], *, of: str = "") -> str | None:
    """The one field by which the elements are told apart; None where there is no such field."""
    found = _found(elements, of)
    return found[0][0] if found is not None and len(found[0]) == 1 else None


def _found(elements: Sequence[Any], of: str) -> tuple[_Fields, tuple[str, ...]] | None:
    if not elements or not all(isinstance(e, dict) for e in elements):
        return None
    for fields in _IN_LISTS.get(of, _ANYWHERE):
        known = [_key(element, fields, of) for element in elements]
        told = tuple(key for key in known if key is not None)
        if len(set(told)) == len(elements):
            return fields, told
    return None


def _key(element: dict[str, Any], fields: _Fields, of: str) -> str | None:
    if element.get(fields[0]) is None and of != _MAY_LACK_THE_FIRST:
        return None
    said = [str(element.get(field, _ABSENT.get(field, ""))) for field in fields]
    return "/".join(one for one in said if one)
