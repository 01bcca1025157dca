"""
What tells one element of a list from the others.

To Kubernetes some lists are maps: containers by name, mounts by path. Two such lists are
compared element by element, wherever an element stands. Kubernetes says which lists those
are in its types, which are not at hand for custom kinds, so it is told from the elements:
maps that all have the same identifying field, each with another value in it.
"""

from collections.abc import Sequence
from typing import Any

_KEYS = (
    ("name",),
    ("mountPath",),
    ("containerPort", "protocol"),
    ("devicePath",),
    ("topologyKey",),
)
_DEFAULTS = {"protocol": "TCP"}


def keys(elements: Sequence[Any], *, of: str = "") -> tuple[str, ...] | None:
    """
    The key of each element, in order; None where nothing tells them apart.

    Args:
        elements: a list of an object.
        of: the field that holds the list; mounts go by path, since one volume may be
            mounted twice, and each path only once.
    """
    if not elements or not all(isinstance(e, dict) for e in elements):
        return None
    for fields in _candidates(of):
        found = tuple(_key(element, fields) for element in elements)
        if None not in found and len(set(found)) == len(found):
            return tuple(str(key) for key in found)
    return None


def key_field(elements: Sequence[Any], *, of: str = "") -> str | None:
    """The field that a `test` of one element looks at; None where there is no key."""
    known = keys(elements, of=of)
    if known is None:
        return None
    return next(
        fields[0]
        for fields in _candidates(of)
        if tuple(_key(element, fields) for element in elements) == known
    )


def _candidates(of: str) -> tuple[tuple[str, ...], ...]:
    return _KEYS[1:] if of in {"volumeMounts", "ports"} else _KEYS


def _key(element: dict[str, Any], fields: tuple[str, ...]) -> str | None:
    if element.get(fields[0]) is None:
        return None
    return "/".join(str(element.get(field, _DEFAULTS.get(field, ""))) for field in fields)
