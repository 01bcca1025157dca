"""
The `status.conditions` of any object.

Pods, nodes and NodeClaims share one shape. What differs is who writes a condition,
and so whose clock its stamp is of: the caller says. The stamp is when the status
last changed, whatever it is now: of a False condition it completes nothing.

A pod's PodScheduled is written by the scheduler and the API server, the conditions of its
life on the node by the kubelet, and whatever a readiness gate names by some controller.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firstlight.core.marks import Clock
from firstlight.readers.kube.fields import mappings, text, within
from firstlight.readers.kube.model import Condition
from firstlight.readers.kube.stamps import Origin

_BY_KUBELET = frozenset(
    {
        *("Initialized", "Ready", "ContainersReady", "PodReadyToStartContainers", "PodInitialized"),
        *("PodHasNetwork", "PodResizePending", "PodResizeInProgress", "AllContainersRestarting"),
    }
)
"""PodHasNetwork is what PodReadyToStartContainers was called before 1.28."""


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


def pod_condition_clock(type_: str) -> Clock:
    """Whose clock a pod's condition of this type is stamped by."""
    return Clock.NODE if type_ in _BY_KUBELET else Clock.CONTROL_PLANE
