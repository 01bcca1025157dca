"""
Whether an engine's pods run on Spot nodes, which the cloud takes back when it wants to.

A pod asks for such nodes by a label of its cloud, or for a pool or a group of nodes that are.
It is enough that they may be: where both kinds are allowed, the cheaper is taken.
"""

from firstlight.lint.engine import Engine
from firstlight.lint.node_groups import NAME_LABELS, NodeGroup, node_groups
from firstlight.lint.pools import PoolIndex, is_of_some_nodes
from firstlight.lint.scene import Scene
from firstlight.manifests.node_labels import Asked, alternatives
from firstlight.readers.kube.label_selectors import values_of

_CAPACITY = "karpenter.sh/capacity-type"
_LABELS = {
    _CAPACITY: "spot",
    "eks.amazonaws.com/capacityType": "SPOT",
    "cloud.google.com/gke-spot": "true",
    "cloud.google.com/gke-provisioning": "spot",
    "kubernetes.azure.com/scalesetpriority": "spot",
}
"""What Spot nodes are labelled with, by Karpenter and by the clouds."""


class Spot:
    """What the objects tell of it."""

    def __init__(self, scene: Scene) -> None:
        self._pools = PoolIndex(scene)
        self._groups = tuple(node_groups(scene))

    def may_take(self, engine: Engine) -> bool:
        """Whether all nodes that an engine's pods ask for are Spot, or may be."""
        asked = alternatives(engine.pod)
        if asked and all(_asks_for_spot(one) or self._is_spot_group(one) for one in asked):
            return True
        known = self._pools.of(engine).known
        return bool(known) and all("spot" in pool.required.get(_CAPACITY, ()) for pool in known)

    def _is_spot_group(self, asked: Asked) -> bool:
        """Whether the groups that an alternative asks for, by name or label, are all Spot."""
        meant = [group for group in self._groups if _is_meant(group, asked)]
        return bool(meant) and all(group.spot for group in meant)


def _asks_for_spot(asked: Asked) -> bool:
    return any(
        _LABELS.get(str(one.get("key"))) in values_of(one)
        for one in asked
        if one.get("operator") == "In"
    )


def _is_meant(group: NodeGroup, asked: Asked) -> bool:
    """Whether an alternative asks for a label that the group gives, and for nothing else."""
    chosen = any(
        group.nodes.speaks_of(str(one.get("key")))
        for one in asked
        if one.get("key") in NAME_LABELS or is_of_some_nodes(one)
    )
    return chosen and group.nodes.may_fit(asked)
