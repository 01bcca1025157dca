"""
A JSON pointer as people read it.

`/spec/template/spec/containers/1/args/3` makes one count. `containers[engine].args[3]` does
not: where an element of a list has a name, that is what it is called.
"""

from typing import Any

from firstlight.readers.json_pointer import parts

_NAMES = ("name", "mountPath", "key", "type")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def readable_path(root: Any, pointer: str) -> str:
    """
    The path to a value.

    Args:
        root: the object that the pointer goes into.
        pointer: empty for the object itself, whose path is empty.
    """
    said, value = "", root
    for part in parts(pointer):
        if isinstance(value, list):
            at = int(part) if part.isascii() and part.isdigit() else len(value)
            value = value[at] if at < len(value) else None
            said += f"[{_called(value) or part}]"
        else:
            value = value.get(part) if isinstance(value, dict) else None
            said += f".{part}" if part and _PLAIN.issuperset(part) else f'["{part}"]'
    return said.removeprefix(".")


def _called(element: Any) -> str | None:
    """The name of an element; None where it has none, so that its number says which it is."""
    if not isinstance(element, dict):
        return None
    found = next((element.get(field) for field in _NAMES if element.get(field)), None)
    return found if isinstance(found, str) else None
