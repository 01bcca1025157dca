"""
A change carried out on a set of objects.

By the same library that others use for RFC 6902, so that a patch means here what it means
to kubectl and kustomize; but for `test`, which takes null for a field that is not there, as
theirs does. Objects that are added come behind the others.
"""

import json
from dataclasses import replace
from typing import Any

import jsonpatch
from jsonpointer import JsonPointerException

from firstlight.core.errors import BadInput
from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.json_values import copied, same
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.readers.json_pointer import is_index, parts


def applied(change: Change, objects: ObjectSet) -> ObjectSet:
    """
    The objects with the change in them; those given stay as they are.

    Raises:
        BadInput: an object is not there, or is not the one the change was drawn on.
    """
    patches = {patch.target: patch for patch in change.patches}
    here = {m.identity for m in objects}
    for identity in (*patches, *change.removed):
        if identity not in here:
            raise BadInput(
                f"{change.technique} changes {identity}, which is not among the objects",
                remedy="draw it anew on these objects",
            )
    kept = [
        _patched(m, patches[m.identity], change.technique) if m.identity in patches else m
        for m in objects
        if m.identity not in change.removed
    ]
    return ObjectSet(manifests=(*kept, *change.added))


def _patched(manifest: Manifest, patch: ObjectPatch, technique: str) -> Manifest:
    value = copied(manifest.value)
    try:
        # Through JSON, so that what comes out shares nothing with the change.
        for operation in json.loads(json.dumps(patch.operations)):
            if operation["op"] == "test":
                _test(value, operation)
            else:
                value = jsonpatch.JsonPatch([operation]).apply(value, in_place=True)
    except (jsonpatch.JsonPatchException, JsonPointerException) as e:
        raise BadInput(
            f"{manifest.place()} has changed since {technique} was drawn on it",
            remedy="draw it anew on these objects",
        ) from e
    # Lines are those of the text that was given: below the object's head they may be others' now.
    lines = {"": manifest.lines[""]} if "" in manifest.lines else {}
    return replace(manifest, value=value, lines=lines)


def _test(value: Any, operation: dict[str, Any]) -> None:
    """
    Raises:
        jsonpatch.JsonPatchTestFailed: something else stands there, or what would hold it is gone.
    """
    path = parts(operation["path"])
    found = value
    for at, part in enumerate(path):
        if isinstance(found, dict) and (part in found or at == len(path) - 1):
            found = found.get(part)
        elif isinstance(found, list) and is_index(part, found):
            found = found[int(part)]
        else:
            raise jsonpatch.JsonPatchTestFailed(f"{operation['path']} is not there")
    if not same(found, operation["value"]):
        raise jsonpatch.JsonPatchTestFailed(f"{operation['path']} is something else")
