"""
What NetworkPolicies keep away from an engine.

A policy that selects a pod closes every port of it that no such policy opens. It knows ports
and peers, and no paths. Whether anything enforces it is a question to the cluster.
"""

from dataclasses import dataclass
from typing import Any

from firstlight.lint.engine import Engine, Known
from firstlight.lint.engine_pods import same_namespace
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import mapping, mappings

_GROUP = "networking.k8s.io"
"""Calico has policies of that kind too, with other fields."""
_DEFAULT_PORT = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """The policies that select an engine's pods."""

    names: tuple[str, ...]
    closes_port: bool
    """No rule of theirs opens the port that the engine listens on."""
    passed_by: bool = False
    """The pod is in its node's network, where policies about pods hold nothing."""

    @property
    def holds(self) -> bool:
        """Whether nobody reaches the engine's port, where policies are enforced."""
        return bool(self.names) and self.closes_port and not self.passed_by

    def says(self, *, enforced: bool | None) -> str:
        """About the policies, to be appended to a sentence; empty where there are none."""
        if not self.names:
            return ""
        said = f"; NetworkPolicy {', '.join(self.names)} is the only fence"
        if self.passed_by:
            return f"{said}, and a pod with hostNetwork passes by it"
        if enforced is False:
            return f"{said}, and nothing in this cluster enforces it"
        if not self.closes_port:
            said += ", and it opens this very port"
        return said if enforced else f"{said}, and whether it is enforced, manifests do not tell"


def fence(engine: Engine, scene: Scene) -> Fence:
    """The policies about an engine's pods."""
    labels = _labels(engine)
    selecting = [
        m
        for m in scene.of_kind("NetworkPolicy", group=_GROUP)
        if same_namespace(engine, m) and _selects(m, labels)
    ]
    port = engine.argument("--port")
    number = engine.text_of(port) if port.known is Known.GIVEN else str(_DEFAULT_PORT)
    return Fence(
        names=tuple(m.identity.name for m in selecting),
        closes_port=number is not None and not any(_opens(m, engine, number) for m in selecting),
        passed_by=bool(engine.pod.get("hostNetwork")),
    )


def _labels(engine: Engine) -> dict[str, Any]:
    template = engine.workload.pod_pointer.rpartition("/")[0]
    metadata = mapping(value_at(engine.manifest.value, template)).get("metadata")
    return dict(mapping(mapping(metadata).get("labels")))


def _selects(policy: Manifest, labels: dict[str, Any]) -> bool:
    spec = mapping(policy.value.get("spec"))
    if "Ingress" not in (spec.get("policyTypes") or ["Ingress"]):
        return False
    selector = mapping(spec.get("podSelector"))
    wanted = mapping(selector.get("matchLabels"))
    return all(labels.get(k) == v for k, v in wanted.items()) and all(
        _matches(expression, labels) for expression in mappings(selector.get("matchExpressions"))
    )


def _matches(expression: Any, labels: dict[str, Any]) -> bool:
    key, values = expression.get("key"), expression.get("values") or []
    match expression.get("operator"):
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case _:
            return key not in labels


def _opens(policy: Manifest, engine: Engine, port: str) -> bool:
    names = {
        str(p.get("name")): str(p.get("containerPort")) for p in engine.container.get("ports") or []
    }
    for rule in mappings(mapping(policy.value.get("spec")).get("ingress")):
        ports = mappings(rule.get("ports"))
        if not ports:
            return True
        for one in ports:
            written = str(one.get("port", port))
            first = names.get(written, written)
            if first == port or _between(first, one.get("endPort"), port):
                return True
    return False


def _between(first: str, last: object, port: str) -> bool:
    numbers = (first, str(last), port)
    return all(n.isdigit() for n in numbers) and int(first) <= int(port) <= int(str(last))
