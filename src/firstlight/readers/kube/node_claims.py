"""
A Karpenter NodeClaim, and the Machine it was called before v1beta1.

Karpenter notes its steps as conditions. From v1 on a step that has not happened yet
has a condition too, Unknown or False, with a stamp: only a True one says that the step
was done. Which instance came is said by labels once it is known; before that, the
requirements may leave one choice only.
"""

from collections.abc import Mapping
from typing import Any

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
        launched=_done(conditions, "Launched"),
        registered=_done(conditions, "Registered"),
        initialized=_done(conditions, "Initialized"),
        conditions=conditions,
        node=text(within(obj, "status", "nodeName")),
        provider_id=text(within(obj, "status", "providerID")),
        instance_type=known.get(_TYPE, ""),
        capacity_type=known.get(_CAPACITY, ""),
        zone=known.get(_ZONE, ""),
    )


def _done(conditions: tuple[Condition, ...], step: str) -> Stamp | None:
    names = (step, f"Machine{step}")
    return next((c.transition for c in conditions if c.type in names and c.is_true), None)


def _only_choices(obj: Mapping[str, Any]) -> dict[str, str]:
    """Requirements that leave one value."""
    only: dict[str, str] = {}
    for requirement in mappings(within(obj, "spec", "requirements")):
        values = words(requirement.get("values"))
        if requirement.get("operator") == "In" and len(values) == 1:
            only[text(requirement.get("key"))] = values[0]
    return only
