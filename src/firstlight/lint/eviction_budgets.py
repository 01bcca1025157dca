"""
PodDisruptionBudgets, and whether they let an engine's pods be evicted one after the other.

A budget that allows one pod to be missing only makes the moves take turns: each pod is still
evicted, and starts anew. Only one that allows none keeps them where they are.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import engine_pods, same_namespace
from firstlight.lint.pod_metadata import pod_labels
from firstlight.lint.replicas import Scaling
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import counted, natural, text, within
from firstlight.readers.kube.label_selectors import selects


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A PodDisruptionBudget that is for an engine's pods."""

    name: str
    allows_none: bool | None
    """Whether it lets no pod go; None where that is not known."""


class EvictionBudgets:
    """Every PodDisruptionBudget among the objects."""

    def __init__(self, scene: Scene) -> None:
        self._budgets = tuple(scene.of_kind("PodDisruptionBudget", group="policy"))
        self._engines = tuple(engine_pods(scene)) if self._budgets else ()
        self._scaling = Scaling(scene)

    def of(self, engine: Engine) -> tuple[Budget, ...]:
        """Those that are for an engine's pods."""
        return tuple(
            Budget(name=one.identity.name, allows_none=self._allows_none(one))
            for one in self._budgets
            if _is_for(one, engine)
        )

    def _allows_none(self, budget: Manifest) -> bool | None:
        most = within(budget.value, "spec", "maxUnavailable")
        if most is not None:
            # A share is rounded up, so any but nothing lets a pod go.
            number = _number(most)
            return None if number is None else number == 0
        fewest = within(budget.value, "spec", "minAvailable")
        pods = self._pods(one for one in self._engines if _is_for(budget, one))
        needed = _needed(fewest, pods)
        return None if needed is None or pods is None else needed >= pods

    def _pods(self, engines: Iterable[Engine]) -> int | None:
        """How many pods there may be of some engines; None where that is not known."""
        counts = [self._scaling.most(one) for one in engines]
        return None if None in counts else sum(one.count for one in counts if one)


def _is_for(budget: Manifest, engine: Engine) -> bool:
    selector = within(budget.value, "spec", "selector")
    return same_namespace(engine, budget) and selects(selector, pod_labels(engine))


def _number(written: object) -> int | None:
    """A number, or a share's; None for what is neither."""
    number = natural(written)
    return counted(text(written).removesuffix("%")) if number is None else number


def _needed(fewest: object, pods: int | None) -> int | None:
    """How many of some pods have to be there; None where that is not known."""
    number = _number(fewest)
    if number is None or not text(fewest).endswith("%"):
        return number
    return None if pods is None else math.ceil(pods * number / 100)
