"""
How many pods there may be of an engine, and what a rollout does to them.

The number stands in the object, or an autoscaler changes it. A rolling update makes new pods
before it takes old ones away, as many as `maxSurge` says; where `maxUnavailable` comes to
nothing, no old pod goes before a new one is ready.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import same_namespace
from firstlight.lint.scene import Scene
from firstlight.manifests.kinds import kind_of
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import counted, natural, text, within

_SHARE = "25%"
"""Kubernetes' default for both."""
_ONE_OF = frozenset({"Pod", "DaemonSet", "Job", "CronJob"})
"""Kinds that have no number of pods side by side."""
_MOST_OF_KEDA = 100
"""What a ScaledObject goes up to that says no number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicas:
    """A number of pods, and who says it."""

    count: int
    manifest: Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """A rolling update that takes no pod away before a new one is ready."""

    replicas: int
    surge: int
    """How many new pods it makes beside the old ones."""
    pointer: str


class Scaling:
    """How many pods there may be, by the objects themselves and by what scales them."""

    def __init__(self, scene: Scene) -> None:
        self._scalers: dict[tuple[str, str], list[Manifest]] = {}
        for scaler in scene.of_kind("HorizontalPodAutoscaler", "ScaledObject"):
            target = within(scaler.value, "spec", "scaleTargetRef")
            kind = text(within(target, "kind")) or "Deployment"
            named = (kind, text(within(target, "name")))
            self._scalers.setdefault(named, []).append(scaler)

    def most(self, engine: Engine) -> Replicas | None:
        """The most pods that there may be at a time; None where that is not known."""
        return max(self._said(engine), key=lambda one: one.count, default=None)

    def _said(self, engine: Engine) -> Iterator[Replicas]:
        value = engine.manifest.value
        pods = _replicas(value)
        if pods is not None and kind_of(value) not in _ONE_OF:
            size = natural(within(value, "spec", "leaderWorkerTemplate", "size")) or 1
            yield Replicas(count=pods * size, manifest=engine.manifest)
        mine = engine.manifest.identity
        for scaler in self._scalers.get((mine.kind, mine.name), ()):
            most = _most(scaler) if same_namespace(engine, scaler) else None
            if most is not None:
                yield Replicas(count=most, manifest=scaler)


def rolling(engine: Engine) -> Rollout | None:
    """A rollout that needs room for more pods; None where it does not, or nobody knows."""
    value = engine.manifest.value
    if kind_of(value) != "Deployment":
        return None
    strategy = within(value, "spec", "strategy")
    if (text(within(strategy, "type")) or "RollingUpdate") != "RollingUpdate":
        return None
    replicas = _replicas(value)
    if not replicas:
        return None
    gone = _share(within(strategy, "rollingUpdate", "maxUnavailable"), replicas, up=False)
    more = _share(within(strategy, "rollingUpdate", "maxSurge"), replicas, up=True)
    if gone != 0 or not more:
        return None
    written = "/spec/strategy" if isinstance(strategy, dict) and strategy else "/spec"
    return Rollout(replicas=replicas, surge=more, pointer=written)


def _most(scaler: Manifest) -> int | None:
    keda = scaler.identity.kind == "ScaledObject"
    given = within(scaler.value, "spec", "maxReplicaCount" if keda else "maxReplicas")
    return _MOST_OF_KEDA if keda and given is None else natural(given)


def _replicas(value: dict[str, object]) -> int | None:
    given = within(value, "spec", "replicas")
    return 1 if given is None else natural(given)


def _share(given: object, replicas: int, *, up: bool) -> int | None:
    """A number of pods from a number or a share of them; None for what is neither."""
    written = _SHARE if given is None else given
    if (number := natural(written)) is not None:
        return number
    percent = counted(text(written).removesuffix("%"))
    if percent is None:
        return None
    whole, rest = divmod(replicas * percent, 100)
    return whole + (1 if up and rest else 0)
