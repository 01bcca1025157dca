"""
Which labels the nodes of a pool can have, and whether a pod may run on them.

A pod says what its node must be in its selector and in the alternatives of its required
affinity; a pool says what its nodes will be in its labels and requirements. Whether both can
hold at once is the question. A label that the pool does not speak of its nodes do not have,
unless it is one that every node gets from its cloud or its kubelet.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.manifests.karpenter_references import POOL_LABEL, required_terms
from firstlight.readers.kube.fields import mapping, mappings, within
from firstlight.readers.kube.label_selectors import Expression, fit_together, fits

OF_EVERY_NODE = (
    *("kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws", "eks.amazonaws.com"),
    *("karpenter.azure.com", "kubernetes.azure.com", "cloud.google.com"),
)
"""Domains of labels that nodes have without a pool saying so."""
_NAME = "metadata.name"
"""Of a node, which an affinity may ask for beside its labels."""
Asked = tuple[Expression, ...]
"""What a node must be: all of these expressions."""


def is_of_every_node(key: str) -> bool:
    """Whether nodes have such a label without a pool saying so."""
    return key == _NAME or key.partition("/")[0].endswith(OF_EVERY_NODE)


def selected(pod: Mapping[str, Any]) -> Asked:
    """What a pod's node selector asks for."""
    return tuple(
        {"key": str(key), "operator": "In", "values": [str(value)]}
        for key, value in mapping(pod.get("nodeSelector")).items()
    )


def alternatives(pod: Mapping[str, Any]) -> tuple[Asked, ...]:
    """
    What a pod asks of its node: one of these; a single empty one where it asks for nothing.

    The selector is a part of each alternative. One that is empty in the affinity chooses no
    node, and one by the node's own name is no question of labels and asks for that name.
    """
    terms = [mapping(term) for term in required_terms(pod)]
    if not terms:
        return (selected(pod),)
    asked = (
        (*mappings(term.get("matchExpressions")), *mappings(term.get("matchFields")))
        for term in terms
    )
    return tuple((*selected(pod), *expressions) for expressions in asked if expressions)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLabels:
    """What the nodes of a pool will be, by label."""

    expressions: Mapping[str, tuple[Expression, ...]]

    def speaks_of(self, key: str) -> bool:
        """Whether the pool itself says something about a label."""
        return key in self.expressions

    def may_fit(self, asked: Asked) -> bool:
        """Whether a node of the pool may be all that is asked."""
        return next(self.not_fitting(asked), None) is None

    def not_fitting(self, asked: Asked) -> Iterator[Expression]:
        """What no node of the pool can be."""
        by_key: dict[str, list[Expression]] = {}
        for one in asked:
            by_key.setdefault(str(one.get("key")), []).append(one)
        return (own[0] for key, own in by_key.items() if not self._may_be(key, own))

    def _may_be(self, key: str, asked: list[Expression]) -> bool:
        if said := self.expressions.get(key):
            return fit_together([*said, *asked])
        if is_of_every_node(key):
            return fit_together(asked)
        return all(fits(one, None) is not False for one in asked)


def of_pool(pool: Mapping[str, Any]) -> NodeLabels:
    """What the nodes of one of Karpenter's NodePools will be."""
    template = within(pool, "spec", "template")
    labels = dict(mapping(within(template, "metadata", "labels")))
    if name := within(pool, "metadata", "name"):
        labels[POOL_LABEL] = name
    return node_labels(labels, mappings(within(template, "spec", "requirements")))


def node_labels(labels: Mapping[str, Any], requirements: Iterable[Expression] = ()) -> NodeLabels:
    """Nodes that have some labels, and are what some requirements say."""
    found: dict[str, tuple[Expression, ...]] = {
        str(key): ({"operator": "In", "values": [str(value)]},) for key, value in labels.items()
    }
    for one in requirements:
        key = str(one.get("key"))
        if key not in labels:
            found[key] = (*found.get(key, ()), one)
    return NodeLabels(expressions=found)
