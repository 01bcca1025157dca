"""
Taints of nodes, and which pods tolerate them or may.

What a toleration covers is the scheduler's rule, in `readers.kube.tolerations`. A manifest
is checked more leniently than a live pod is placed: what an admission plugin may add, or a
newer operator may mean, is no alarm.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.readers.kube.fields import mapping, mappings, text, within
from firstlight.readers.kube.tolerations import KEEPS_AWAY, covers


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """One taint that keeps pods away."""

    key: str
    value: str
    effect: str
    index: int
    """In the list that it was written in."""

    def __str__(self) -> str:
        return f"{self.key}{'=' if self.value else ''}{self.value}:{self.effect}"


def taints_of(listed: object) -> tuple[Taint, ...]:
    """The taints of a list that keep pods away; those that only make a node less wanted do not."""
    return tuple(
        Taint(
            key=text(one.get("key")),
            value=text(one.get("value")),
            effect=text(one.get("effect")),
            index=index,
        )
        for index, one in enumerate(listed if isinstance(listed, list) else [])
        if isinstance(one, dict) and text(one.get("effect")) in KEEPS_AWAY
    )


def tolerates(pod: Mapping[str, Any], taint: Taint) -> bool:
    """Whether a pod's own tolerations cover a taint."""
    return any(_covers(one, taint) for one in mappings(pod.get("tolerations")))


def all_tolerations(pods: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """What any of some pods tolerates, as if one pod had it all."""
    listed = (one for pod in pods for one in mappings(pod.get("tolerations")))
    return {"tolerations": list({repr(one): one for one in listed}.values())}


def may_tolerate(pod: Mapping[str, Any], taint: Taint) -> bool:
    """
    Whether a pod may have a toleration for a taint when it is scheduled.

    The admission plugin `ExtendedResourceToleration`, which EKS and GKE have on, gives a pod
    that asks for `nvidia.com/gpu` a toleration for the taint of that name.
    """
    return tolerates(pod, taint) or taint.key in _resources(pod)


def _covers(toleration: Mapping[str, Any], taint: Taint) -> bool:
    value = text(toleration.get("value"))
    # Newer operators compare numbers; who uses one means the taint of that key.
    compares = text(toleration.get("operator")) not in {"", "Equal", "Exists"}
    written = {"key": taint.key, "value": value if compares else taint.value}
    return covers({**toleration, "value": value}, {**written, "effect": taint.effect})


def _resources(pod: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(
        name
        for field in ("containers", "initContainers")
        for container in mappings(pod.get(field))
        for kind in ("requests", "limits")
        for name in mapping(within(container, "resources", kind))
    )
