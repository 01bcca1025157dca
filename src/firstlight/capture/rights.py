"""
What it means not to be allowed to read something.

A capture works with what one may read. For the rest it says which seconds of the start
stay dark, and the line of RBAC that would light them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firstlight.capture.ports import Refusal

FORBIDDEN, NOT_FOUND = 403, 404

_CONSEQUENCES: Mapping[str, tuple[str, str]] = {
    "pods": ("pods", "nothing can be captured without its pods"),
    "pods/log": (
        "container logs",
        "nothing inside the engine (process_init, weight_load, engine_init, api_start) is known",
    ),
    "events": (
        "events",
        "image_pull, scheduling and container_setup cannot be told apart",
    ),
    "events.events.k8s.io": (
        "events of the newer API",
        "microseconds of the scheduler are missing; the older API tells the same events",
    ),
    "nodes": (
        "nodes",
        "node_provisioning has no end (node Ready), and the image's size is unknown",
    ),
    "nodeclaims.karpenter.sh": (
        "Karpenter's NodeClaims",
        "node_provisioning cannot be split into launched, registered and initialized",
    ),
    "deployments": ("the Deployment", "its strategy and age are unknown"),
    "replicasets": ("ReplicaSets", "older pods of the Deployment cannot be told from strangers"),
    "statefulsets": ("the StatefulSet", "its strategy and age are unknown"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAllowed:
    """One thing that could not be read, and what follows."""

    what: str
    verb: str
    resource: str
    namespace: str
    """Empty for what has none."""
    consequence: str
    allow: str
    """The rule that would allow it."""

    def as_json(self) -> dict[str, str]:
        return {
            "what": self.what,
            "verb": self.verb,
            "resource": self.resource,
            "namespace": self.namespace,
            "consequence": self.consequence,
            "allow": self.allow,
        }


def not_allowed(
    refusal: Refusal, *, namespace: str = "", consequence: str | None = None
) -> NotAllowed:
    """What a refused right means for the table; another consequence where the place matters."""
    what, usual = _CONSEQUENCES.get(refusal.resource, (refusal.resource, "it is missing"))
    consequence = consequence or usual
    if namespace:
        what = f"{what} of namespace {namespace}"
    return NotAllowed(
        what=what,
        verb=refusal.verb,
        resource=refusal.resource,
        namespace=namespace,
        consequence=consequence,
        allow=_rule(refusal),
    )


def _rule(refusal: Refusal) -> str:
    plural, _, group = refusal.resource.partition(".")
    group = group or ("apps" if plural in {"deployments", "replicasets", "statefulsets"} else "")
    return f'{{apiGroups: ["{group}"], resources: ["{plural}"], verbs: ["{refusal.verb}"]}}'
