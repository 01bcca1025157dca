"""
What NetworkPolicies keep away from an engine.

A policy that selects a pod closes every port of it that no such policy opens. It knows ports
and peers, and no paths. Whether anything enforces it is a question to the cluster.
"""

from dataclasses import dataclass

from firstlight.lint.engine import Engine, Known
from firstlight.lint.engine_pods import same_namespace
from firstlight.lint.pod_metadata import pod_labels
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.readers.engine_program import DEFAULT_PORT
from firstlight.readers.kube.fields import counted, mapping, mappings
from firstlight.readers.kube.label_selectors import selects

_GROUP = "networking.k8s.io"
_OTHERS = (
    "NetworkPolicy.projectcalico.org",
    "NetworkPolicy.crd.projectcalico.org",
    "GlobalNetworkPolicy",
    "CiliumNetworkPolicy",
    "CiliumClusterwideNetworkPolicy",
    "AdminNetworkPolicy",
    "ClusterNetworkPolicy",
)
"""Policies with other fields and an order among them, which are not read here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """The policies that select an engine's pods."""

    names: tuple[str, ...]
    closes_port: bool
    """No rule of theirs opens the port that the engine listens on."""
    others: tuple[str, ...] = ()
    """Policies of other APIs that may be about them: nobody looked into those."""
    passed_by: bool = False
    """The pod is in its node's network, where policies about pods hold nothing."""

    @property
    def holds(self) -> bool:
        """Whether nobody reaches the engine's port, where policies are enforced."""
        return bool(self.names) and self.closes_port and not self.passed_by

    def says(self, *, enforced: bool | None) -> str:
        """About the policies, to be appended to a sentence; empty where there are none."""
        aside = f"; {', '.join(self.others)} is not judged here" if self.others else ""
        return self._says(enforced=enforced) + aside

    def _says(self, *, enforced: bool | None) -> str:
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
    labels = pod_labels(engine)
    selecting = [
        m
        for m in scene.of_kind("NetworkPolicy", group=_GROUP)
        if same_namespace(engine, m) and _selects(m, labels)
    ]
    port = engine.argument("--port")
    number = engine.text_of(port) if port.known is Known.GIVEN else str(DEFAULT_PORT)
    return Fence(
        names=tuple(m.identity.name for m in selecting),
        closes_port=number is not None and not any(_opens(m, engine, number) for m in selecting),
        others=tuple(
            f"{m.identity} ({m.identity.group})"
            for m in scene.of_kind(*_OTHERS)
            if not m.identity.namespace or same_namespace(engine, m)
        ),
        passed_by=bool(engine.pod.get("hostNetwork")),
    )


def _selects(policy: Manifest, labels: dict[str, str]) -> bool:
    spec = mapping(policy.value.get("spec"))
    if "Ingress" not in (spec.get("policyTypes") or ["Ingress"]):
        return False
    # A policy without a selector is for every pod, as if it had an empty one.
    return selects(spec.get("podSelector") or {}, labels)


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
    numbers = [n for one in (first, port, last) if (n := counted(one)) is not None]
    return len(numbers) == 3 and numbers == sorted(numbers)  # noqa: PLR2004
