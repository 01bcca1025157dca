"""
Looking into foreign objects without trusting them.

An object may be written by any version of anything, cut with jq, or edited by hand:
a list stands where a map should be, a number is a string, a status is null. Each
function here takes whatever is there and gives the kind of value its name says; what
cannot be read as that is absent, and nothing raises.
"""

import re
from collections.abc import Mapping
from typing import Any

_EMPTY: Mapping[str, Any] = {}
_WIDEST = 2**63
"""The API's integers have 64 bits."""
_DIGITS = re.compile(r"[0-9]{1,18}")


def mapping(value: object) -> Mapping[str, Any]:
    """A map; an empty one for anything else."""
    return value if isinstance(value, dict) else _EMPTY


def within(value: object, *keys: str) -> Any:
    """What lies under these keys; None where the way ends."""
    for key in keys:
        value = mapping(value).get(key)
    return value


def mappings(value: object) -> list[Mapping[str, Any]]:
    """The maps of a list; anything else in it is passed over."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def words(value: object) -> tuple[str, ...]:
    """The texts of a list."""
    if not isinstance(value, list):
        return ()
    return tuple(text(item) for item in value if isinstance(item, str))


def text(value: object) -> str:
    """A text that can be written out; empty for anything else."""
    if not isinstance(value, str):
        return ""
    # JSON may escape one half of a surrogate pair, which no encoding can write.
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def whole(value: object) -> int | None:
    """An integer, also one that jq made a float of; None for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if -_WIDEST <= value < _WIDEST else None


def natural(value: object) -> int | None:
    """An integer that is not negative; None for anything else."""
    number = whole(value)
    return number if number is not None and number >= 0 else None


def counted(value: object) -> int | None:
    """An integer that is not negative, also where a text holds it; None for anything else."""
    written = text(value)
    if not written:
        return natural(value)
    return int(written) if _DIGITS.fullmatch(written) else None


def texts(value: object) -> dict[str, str]:
    """A map of names to texts, such as labels."""
    pairs = mapping(value).items()
    return {text(k): text(v) for k, v in pairs if isinstance(k, str) and isinstance(v, str)}
