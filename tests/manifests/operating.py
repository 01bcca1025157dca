"""One operation on one engine, without a card around it."""

from typing import Any

import msgspec

from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change
from firstlight.manifests.draft import Draft
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.operations.table import perform
from firstlight.manifests.workload import find_workload
from firstlight.techniques.operations import Operation
from tests.manifests.shapes import deployment, engine, objects


def change_of(on: ObjectSet, *operations: dict[str, Any]) -> Change:
    """The change that the operations are together."""
    draft = Draft.of("it", on, find_workload(on))
    for operation in operations:
        perform(draft, msgspec.convert(operation, Operation))
    return draft.change()


def done(on: ObjectSet, *operations: dict[str, Any]) -> ObjectSet:
    """The objects afterwards; the operations done twice change nothing more."""
    after = applied(change_of(on, *operations), on)
    assert change_of(after, *operations).is_empty
    return after


def on_engine(container: dict[str, Any], *operations: dict[str, Any], **pod: Any) -> dict[str, Any]:
    """The engine's container afterwards."""
    return engine(done(objects(deployment(container, **pod)), *operations))


def on_pod(container: dict[str, Any], *operations: dict[str, Any], **pod: Any) -> dict[str, Any]:
    """The pod's spec afterwards."""
    after = done(objects(deployment(container, **pod)), *operations)
    found: dict[str, Any] = after.manifests[0].value["spec"]["template"]["spec"]
    return found
