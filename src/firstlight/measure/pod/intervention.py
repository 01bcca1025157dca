"""
What will be done to the cluster, decided and said before anything is.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.core.objects import Object, name
from firstlight.measure.pod.cordons import ANNOTATION, signature_on
from firstlight.measure.pod.eligible import could_take, is_closed
from firstlight.measure.pod.fields import node_of
from firstlight.measure.pod.order import Scenario
from firstlight.measure.pod.rights import Right

_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """Which pod is deleted, and which nodes are closed meanwhile."""

    scenario: Scenario
    pod: Object
    namespace: str
    to_close: tuple[Object, ...] = ()
    nodes: frozenset[str] = frozenset()
    """All that there are: a start on one of these is not cold."""
    left_behind: tuple[str, ...] = ()
    """Nodes that an earlier measurement closed and never opened."""
    deletes: bool = True
    """False where somebody else makes the start: then the pod is one as it is to become."""

    def __str__(self) -> str:
        deleted = f"delete pod {name(self.pod)} in namespace {self.namespace}"
        if not self.deletes:
            deleted = f"start a new pod in namespace {self.namespace}"
        where = node_of(self.pod) or "its node"
        if self.scenario is Scenario.WARM:
            return f"{deleted} and expect the new one on {where} again"
        if not self.to_close:
            return f"{deleted}; no open node could take the new one, so none is cordoned"
        closed = [name(node) for node in self.to_close]
        shown = ", ".join(closed[:_NAMED])
        more = f" and {len(closed) - _NAMED} more" if len(closed) > _NAMED else ""
        which = "node" if len(closed) == 1 else f"{len(closed)} nodes"
        return (
            f"cordon {which} {shown}{more}, {deleted}, and uncordon as soon as the new one has a "
            "node; no node is deleted"
        )

    @property
    def rights(self) -> tuple[Right, ...]:
        """What one must be allowed for it."""
        needed = []
        if self.deletes:
            needed.append(Right(verb="delete", resource="pods", namespace=self.namespace))
        if self.to_close:
            needed.append(Right(verb="patch", resource="nodes"))
        return tuple(needed)

    @property
    def notes(self) -> list[str]:
        """What is worth knowing beforehand."""
        return [
            f"node {node} is cordoned, says its annotation {ANNOTATION}, by a measurement that "
            "never came to uncordon it: `firstlight measure --restore` mends that"
            for node in self.left_behind
        ]


def decided(
    scenario: Scenario,
    *,
    pod: Object,
    namespace: str,
    nodes: Iterable[Object] = (),
    deletes: bool = True,
) -> Intervention:
    """What it takes; for a cold start with the cluster's nodes."""
    there = tuple(nodes)
    return Intervention(
        scenario=scenario,
        pod=pod,
        namespace=namespace,
        to_close=tuple(
            node
            for node in there
            if not is_closed(node) and (name(node) == node_of(pod) or could_take(node, pod))
        ),
        nodes=frozenset(map(name, there)),
        deletes=deletes,
        left_behind=tuple(name(node) for node in there if signature_on(node)),
    )
