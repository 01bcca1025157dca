"""
JSON pointers (RFC 6901): where a value stands in an object.

Patches name places by pointers, and so do the lines of a document. The objects here are
plain values, so a few lines do; `-` and the rules of patches belong to `manifests`.
"""

from collections.abc import Collection, Sequence
from typing import Any

_LONGEST_INDEX = 9


def token(part: str | int) -> str:
    """A key or an index as a pointer writes it."""
    return str(part).replace("~", "~0").replace("/", "~1")


def pointer(*parts: str | int) -> str:
    """The pointer of a path."""
    return "".join(f"/{token(part)}" for part in parts)


def parts(of: str) -> tuple[str, ...]:
    """The path of a pointer; an index is a text like any key."""
    return tuple(p.replace("~1", "/").replace("~0", "~") for p in of.split("/")[1:])


def nearest(of: str, there: Collection[str]) -> str:
    """The pointer, or what holds its value as far as that is there; at last the root, ''."""
    while of and of not in there:
        of = of.rpartition("/")[0]
    return of


def value_at(root: Any, of: str) -> Any:
    """The value at a pointer; None where there is none, and for null."""
    value = root
    for part in parts(of):
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and is_index(part, value):
            value = value[int(part)]
        else:
            return None
    return value


def is_index(part: str, of: Sequence[Any]) -> bool:
    """Whether a part of a pointer is the index of something in the list."""
    return part.isdecimal() and len(part) <= _LONGEST_INDEX and int(part) < len(of)


def set_at(root: dict[str, Any], of: str, value: Any) -> str | None:
    """
    Put a value at a pointer, in place; maps that are missing on the way are made.

    Returns:
        The pointer of what is in the way, a list without such an index or a plain value;
        None where the value is now there.
    """
    *way, last = parts(of)
    at: Any = root
    walked = ""
    for part in way:
        if isinstance(at, dict) and at.get(part) is None:
            at[part] = {}
        at = value_at(at, pointer(part))
        walked += pointer(part)
        if not isinstance(at, dict | list):
            return walked
    if isinstance(at, dict):
        at[last] = value
    elif is_index(last, at):
        at[int(last)] = value
    elif last == "-":
        at.append(value)
    else:
        return walked
    return None
