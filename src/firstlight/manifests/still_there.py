"""
Tests that what a patch changes is still as it was (RFC 6902, `test`).

A patch is carried out whole or not at all, so one test that fails keeps all of it from a
manifest that has changed since. Three things are not as plain as they look.

A server fills in what was left out: a `hostPath` has a `type`, a `configMap` a mode. So a
value is tested by all that was written of it, field by field, and may have more.

RFC 6902 has no test of absence. Its library in kubectl, kustomize and the API server takes a
`test` for null where there is no such field; any other one fails, and nothing is lost.

Nor has it a test of a list's length. A mark that is put behind the end has to stand in the
place that the length gives, and is taken away again.
"""

from collections.abc import Iterator
from typing import Any

from firstlight.readers.json_pointer import token

Operation = dict[str, Any]


def exactly(value: Any, path: str) -> Operation:
    """Nothing else than this value."""
    return {"op": "test", "path": path, "value": value}


def absent(path: str) -> Operation:
    """No such field, in a map that is there."""
    return exactly(None, path)


def key_of(element: dict[str, Any], field: str, path: str) -> Operation:
    """An element of this name."""
    return exactly(element[field], f"{path}/{token(field)}")


def all_of(value: Any, path: str) -> Iterator[Operation]:
    """All that the value holds; a server may have added to it."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from all_of(inner, f"{path}/{token(name)}")
    elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        for at, inner in enumerate(value):
            yield from all_of(inner, f"{path}/{at}")
    else:
        yield exactly(value, path)


def ends_here(elements: list[Any], path: str) -> Iterator[Operation]:
    """A list of as many elements."""
    end = f"{path}/{len(elements)}"
    yield {"op": "add", "path": f"{path}/-", "value": {}}
    yield exactly({}, end)
    yield {"op": "remove", "path": end}
