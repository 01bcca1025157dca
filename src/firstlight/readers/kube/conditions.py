"""
The `status.conditions` of any object.

Pods, nodes and NodeClaims share one shape. What differs is who writes a condition,
and so whose clock its stamp is of: the caller says. The stamp is when the status
last changed, whatever it is now: of a False condition it completes nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firstlight.core.marks import Clock
from firstlight.readers.kube.fields import mappings, text, within
from firstlight.readers.kube.model import Condition
from firstlight.readers.kube.stamps import Origin


def read_conditions(
    obj: Mapping[str, Any], origin: Origin, clock_of: Callable[[Mapping[str, Any]], Clock]
) -> tuple[Condition, ...]:
    """The conditions in their order; one without a type is none."""
    return tuple(_conditions(obj, origin, clock_of))


def _conditions(
    obj: Mapping[str, Any], origin: Origin, clock_of: Callable[[Mapping[str, Any]], Clock]
) -> Iterator[Condition]:
    for entry in mappings(within(obj, "status", "conditions")):
        type_, status = text(entry.get("type")), text(entry.get("status"))
        if not type_:
            continue
        yield Condition(
            type=type_,
            status=status,
            reason=text(entry.get("reason")),
            message=text(entry.get("message")),
            transition=origin.stamp(
                entry,
                "lastTransitionTime",
                clock_of(entry),
                within=f"status.conditions[{type_}]",
                note=f"{type_}={status}",
            ),
        )
