"""
Which of Karpenter's NodePools an engine's nodes come from.

A pod asks for a pool by its name, or by a label that the pool gives to its nodes, in its
selector or its required affinity; where the pool can not be what else is asked, it is none of
its. Where a pod asks for neither, any node will do, and nothing is said of a pool: labels that
every node has, such as a zone or an instance type, choose among all nodes. Pools that are not
among the objects may be meant too, and whoever concludes something from a pool has to know
that.
"""

from dataclasses import dataclass
from functools import cached_property

from firstlight.lint.engine import Engine
from firstlight.lint.scene import Scene
from firstlight.lint.taints import Taint, taints_of
from firstlight.manifests.karpenter_references import (
    CLASS_KIND,
    POOL_KIND,
    POOL_LABEL,
    class_of,
)
from firstlight.manifests.node_labels import (
    Asked,
    NodeLabels,
    alternatives,
    is_of_every_node,
    of_pool,
)
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import mapping, mappings, text, within, words
from firstlight.readers.kube.label_selectors import Expression, values_of

_GROUP = "karpenter.sh"
_BY_AGENTS = ("nvidia.com", "amd.com", "intel.com", "habana.ai")
"""Domains of labels that agents give to every node with such a device."""
_CHOOSES = frozenset({"In", "Exists", "Gt", "Lt"})
"""Operators by which a label has to be there."""
STARTUP_TAINTS = "/spec/template/spec/startupTaints"


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A NodePool of the set."""

    manifest: Manifest

    @property
    def name(self) -> str:
        return self.manifest.identity.name

    @cached_property
    def taints(self) -> tuple[Taint, ...]:
        return taints_of(within(self.manifest.value, "spec", "template", "spec", "taints"))

    @cached_property
    def startup_taints(self) -> tuple[Taint, ...]:
        return taints_of(within(self.manifest.value, "spec", "template", "spec", "startupTaints"))

    @cached_property
    def required(self) -> dict[str, tuple[str, ...]]:
        """What nodes have to be, by label: the values that are allowed, and no other form."""
        listed = within(self.manifest.value, "spec", "template", "spec", "requirements")
        return {
            text(one.get("key")): words(one.get("values"))
            for one in mappings(listed)
            if one.get("operator") == "In"
        }

    @cached_property
    def nodes(self) -> NodeLabels:
        """What labels its nodes can have."""
        return of_pool(self.manifest.value)

    @cached_property
    def disruption(self) -> dict[str, object]:
        return dict(mapping(within(self.manifest.value, "spec", "disruption")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """Where a pod's nodes come from."""

    known: tuple[Pool, ...]
    """Those of the objects that it asks for, and that can be what it asks for."""
    others: bool
    """Nodes of pools that are not among the objects would do too, or nobody knows."""
    meant: bool
    """Each alternative of what it asks for is one of the known pools, by name or by a label
    that it gives: where other nodes would do, they have that label too, and are not here."""


class PoolIndex:
    """Every NodePool of Karpenter's among the objects, and every EC2NodeClass, found by name."""

    def __init__(self, scene: Scene) -> None:
        self.pools = tuple(Pool(manifest=m) for m in scene.of_kind(POOL_KIND, group=_GROUP))
        self._by_name = {pool.name: pool for pool in reversed(self.pools)}
        self._classes = {m.identity.name: m for m in scene.of_kind(CLASS_KIND)}

    def of(self, engine: Engine) -> Pools:
        """The pools that an engine's pods ask for."""
        if engine.pod.get("nodeName"):
            return Pools(known=(), others=True, meant=False)
        known, others, meant = dict[str, Pool](), False, True
        for asked in alternatives(engine.pod):
            names = _names(asked)
            if names is None:
                others, found = True, self._by_labels(asked)
            else:
                found = [self._by_name[name] for name in names if name in self._by_name]
                others = others or len(found) < len(names)
                meant = meant and len(found) == len(names)
            fitting = [pool for pool in found if pool.nodes.may_fit(asked)]
            meant = meant and bool(fitting)
            known |= {pool.name: pool for pool in fitting}
        return Pools(known=tuple(known.values()), others=others, meant=meant and bool(known))

    def class_of(self, pool: Pool) -> Manifest | None:
        """The pool's EC2NodeClass; None where it is not among the objects."""
        name = class_of(pool.manifest.value)
        return self._classes.get(name) if name else None

    def only_class(self) -> Manifest | None:
        """The EC2NodeClass; None where there are several, or none."""
        return next(iter(self._classes.values())) if len(self._classes) == 1 else None

    def _by_labels(self, asked: Asked) -> list[Pool]:
        """Pools that give a label which is asked for; the fewest that one label leaves."""
        choosing = [one for one in asked if is_of_some_nodes(one)]
        found = ([p for _, p in sorted(self._giving(one).items())] for one in choosing)
        return min(found, key=len, default=[])

    def _giving(self, expression: Expression) -> dict[int, Pool]:
        key = str(expression.get("key"))
        if expression.get("operator") != "In":
            return self._by_key.get(key, {})
        found = dict(self._open.get(key, {}))
        for value in values_of(expression):
            found |= self._by_label.get((key, value), {})
        return found

    @cached_property
    def _by_key(self) -> dict[str, dict[int, Pool]]:
        """Pools that speak of a label, by their place among all."""
        found: dict[str, dict[int, Pool]] = {}
        for at, pool in enumerate(self.pools):
            for key in pool.nodes.expressions:
                found.setdefault(key, {})[at] = pool
        return found

    @cached_property
    def _open(self) -> dict[str, dict[int, Pool]]:
        """Of those, the ones that list no values of it."""
        return {
            key: {at: pool for at, pool in pools.items() if not _listed(pool, key)}
            for key, pools in self._by_key.items()
        }

    @cached_property
    def _by_label(self) -> dict[tuple[str, str], dict[int, Pool]]:
        found: dict[tuple[str, str], dict[int, Pool]] = {}
        for key, pools in self._by_key.items():
            for at, pool in pools.items():
                for value in {v for one in _listed(pool, key) for v in values_of(one)}:
                    found.setdefault((key, value), {})[at] = pool
        return found


def is_of_some_nodes(expression: Expression) -> bool:
    """Whether it asks for a label that nodes have because somebody gave it to some of them."""
    key = str(expression.get("key"))
    agents = key.partition("/")[0].endswith(_BY_AGENTS)
    return expression.get("operator") in _CHOOSES and not agents and not is_of_every_node(key)


def _listed(pool: Pool, key: str) -> list[Expression]:
    return [e for e in pool.nodes.expressions.get(key, ()) if e.get("operator") == "In"]


def _names(asked: Asked) -> tuple[str, ...] | None:
    """The pools that are asked for by name; None where none is."""
    listed = [
        values_of(one)
        for one in asked
        if one.get("key") == POOL_LABEL and one.get("operator") == "In"
    ]
    if not listed:
        return None
    return tuple(n for n in dict.fromkeys(listed[0]) if all(n in more for more in listed[1:]))
