"""
Patches as text that kubectl either carries out whole or refuses.

`kubectl patch` takes one patch of one object, and of several documents it reads the first and
reports success. So a change of one object is that patch. Any other change is one document
that is no patch and no object, from which kubectl takes nothing, neither by `patch` nor by
`apply`.

Most of a patch are tests, and a reader wants to see what changes: a test is one line.
"""

import json
from collections.abc import Iterable
from typing import Any

from firstlight.manifests.change import Change
from firstlight.manifests.identity_document import identity_document
from firstlight.readers.yaml_text import document_text

_LONGEST = 160
"""Letters of an operation in one line."""


def is_one_patch(change: Change) -> bool:
    """Whether `kubectl patch` takes all of it; what is removed is for `kubectl delete` anyway."""
    return len(change.patches) == 1 and not change.added


def patch_document(change: Change) -> str:
    """
    The patch of the one object, or a document of all objects; empty where none changes.

    Args:
        change: all that is to be done.
    """
    if is_one_patch(change):
        return operations_text(change.patches[0].operations)
    if not change.patches and not change.added:
        return ""
    patches = "".join(
        _element(
            document_text({"target": identity_document(one.target)})
            + "operations:\n"
            + operations_text(one.operations)
        )
        for one in change.patches
    )
    text = f"patches:\n{patches}" if patches else ""
    if change.added:
        text += document_text({"added": [one.value for one in change.added]})
    if change.removed:
        text += document_text({"removed": [identity_document(one) for one in change.removed]})
    return text


def operations_text(operations: Iterable[dict[str, Any]]) -> str:
    """A patch as YAML."""
    return "".join(_operation(one) for one in operations)


def _operation(operation: dict[str, Any]) -> str:
    value = operation.get("value")
    is_check = operation["op"] in ("test", "remove") or value == {}
    if is_check and _is_plain(value):
        line = json.dumps(operation, ensure_ascii=False)
        if len(line) <= _LONGEST and line.isprintable():
            return f"- {line}\n"
    return document_text([operation])


def _is_plain(value: Any) -> bool:
    """Whether YAML reads it as JSON writes it, which is not so of every number."""
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return value is None or value == {} or isinstance(value, str | int)


def _element(text: str) -> str:
    """A text as an element of a list."""
    lines = text.removesuffix("\n").split("\n")
    inner = [f"{'  ' if at else '- '}{line}" if line else "" for at, line in enumerate(lines)]
    return "".join(f"{line}\n" for line in inner)
