"""
A Karpenter NodeClaim, and the Machine it was called before v1beta1.

Karpenter notes its steps as conditions. From v1 on a step that has not happened yet
has a condition too, Unknown or False, with a stamp: only a True one says that the step
was done. Which instance came is said by labels once it is known; before that, the
requirements may leave one choice only.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from firstlight.core.marks import Clock
from firstlight.readers.kube.conditions import read_conditions
from firstlight.readers.kube.fields import mappings, text, texts, within, words
from firstlight.readers.kube.metadata import created_of, name_of
from firstlight.readers.kube.model import Condition, NodeClaim, Stamp
from firstlight.readers.kube.stamps import Origin

_TYPE = "node.kubernetes.io/instance-type"
_CAPACITY = "karpenter.sh/capacity-type"
_ZONE = "topology.kubernetes.io/zone"


def read_node_claim(obj: Mapping[str, Any], origin: Origin) -> NodeClaim:
    """Everything a start needs of a NodeClaim."""
    conditions = read_conditions(obj, origin, lambda _: Clock.CONTROL_PLANE)
    known = _only_choices(obj) | texts(within(obj, "metadata", "labels"))
    return NodeClaim(
        artefact=origin.artefact,
        name=name_of(obj),
        created=created_of(obj, origin),
        **done_steps(conditions),
        conditions=conditions,
        node=text(within(obj, "status", "nodeName")),
        instance_type=known.get(_TYPE, ""),
        capacity_type=known.get(_CAPACITY, ""),
        zone=known.get(_ZONE, ""),
        machine_image=text(within(obj, "status", "imageID")),
    )


class Steps(TypedDict):
    """When Karpenter was done with each of its steps."""

    launched: Stamp | None
    registered: Stamp | None
    initialized: Stamp | None


def done_steps(conditions: Iterable[Condition]) -> Steps:
    """The steps that a claim's conditions say are done; of others a stamp means nothing."""
    done = {c.type.removeprefix("Machine"): c.transition for c in conditions if c.is_true}
    return Steps(
        launched=done.get("Launched"),
        registered=done.get("Registered"),
        initialized=done.get("Initialized"),
    )


def _only_choices(obj: Mapping[str, Any]) -> dict[str, str]:
    """Requirements that leave one value."""
    only: dict[str, str] = {}
    for requirement in mappings(within(obj, "spec", "requirements")):
        values = words(requirement.get("values"))
        if requirement.get("operator") == "In" and len(values) == 1:
            only[text(requirement.get("key"))] = values[0]
    return only
