"""
Which of Karpenter's NodePools an engine's nodes come from.

A pod chooses a pool by its name, or by labels that the pool gives to its nodes. Where it
does neither, any node will do, and nothing is said of a pool. Pools that are not among the
objects may be meant too, and whoever concludes something from a pool has to know that.
"""

from dataclasses import dataclass
from functools import cached_property

from firstlight.lint.engine import Engine
from firstlight.lint.scene import Scene
from firstlight.lint.taints import Taint, taints_of
from firstlight.manifests.karpenter_references import CLASS_KIND, class_of, pools_of
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import mapping, mappings, text, texts, within, words

_GROUP = "karpenter.sh"
_OF_EVERYBODY = ("kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws")
"""Domains of labels that nodes of other pools have too."""
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
    def labels(self) -> dict[str, str]:
        """Labels that each of its nodes has, as far as the pool says them."""
        given = texts(within(self.manifest.value, "spec", "template", "metadata", "labels"))
        fixed = {key: values[0] for key, values in self.required.items() if len(values) == 1}
        return fixed | given

    @cached_property
    def disruption(self) -> dict[str, object]:
        return dict(mapping(within(self.manifest.value, "spec", "disruption")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """Where a pod's nodes come from."""

    known: tuple[Pool, ...]
    others: bool
    """Nodes of pools that are not among the objects would do too, or nobody knows."""


class PoolIndex:
    """Every NodePool of Karpenter's among the objects, and every EC2NodeClass, found by name."""

    def __init__(self, scene: Scene) -> None:
        self.pools = tuple(
            Pool(manifest=m) for m in scene.of_kind("NodePool") if m.identity.group == _GROUP
        )
        self._by_name = {pool.name: pool for pool in reversed(self.pools)}
        self._classes = {m.identity.name: m for m in scene.of_kind(CLASS_KIND)}

    def of(self, engine: Engine) -> Pools:
        """The pools that an engine's pods ask for."""
        if named := pools_of(engine.pod):
            known = tuple(self._by_name[name] for name in named if name in self._by_name)
            return Pools(known=known, others=len(known) < len(named))
        chosen = {
            (key, value)
            for key, value in texts(engine.pod.get("nodeSelector")).items()
            if not key.partition("/")[0].endswith(_OF_EVERYBODY)
        }
        found = [self._by_label.get(label, ()) for label in chosen]
        first = min(found, key=len, default=())
        known = tuple(pool for pool in first if chosen <= pool.labels.items())
        return Pools(known=known, others=True)

    def class_of(self, pool: Pool) -> Manifest | None:
        """The pool's EC2NodeClass; None where it is not among the objects."""
        name = class_of(pool.manifest.value)
        return self._classes.get(name) if name else None

    def only_class(self) -> Manifest | None:
        """The EC2NodeClass; None where there are several, or none."""
        return next(iter(self._classes.values())) if len(self._classes) == 1 else None

    @cached_property
    def _by_label(self) -> dict[tuple[str, str], list[Pool]]:
        found: dict[tuple[str, str], list[Pool]] = {}
        for pool in self.pools:
            for label in pool.labels.items():
                found.setdefault(label, []).append(pool)
        return found
