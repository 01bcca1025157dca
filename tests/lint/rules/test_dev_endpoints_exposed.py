"""Development endpoints, the address they listen on, and policies around them."""

import pytest

from firstlight.lint.scene import Stated
from tests.lint.rules.engines import engine, hits, says, written

CODE = "dev-endpoints-exposed"
DEV = {"VLLM_SERVER_DEV_MODE": "1"}


@pytest.mark.parametrize("args", [(), ("--host=0.0.0.0",), ("--host", "::"), ("--host=10.0.0.7",)])
def test_any_address_but_loopback_is_open(args: tuple[str, ...]) -> None:
    """None at all means all of them."""
    assert hits(CODE, engine(*args, env=DEV))


@pytest.mark.parametrize(
    "args",
    [
        ("--host=127.0.0.1",),
        ("--host", "localhost"),
        ("--host=::1",),
        ("--host=127.0.0.5",),
        ("--uds=/run/vllm.sock",),
        ("--headless",),
        ("--host=$(ADDRESS)",),
        ("$(ARGS)",),
    ],
)
def test_loopback_a_socket_or_an_unknown_address_is_no_hit(args: tuple[str, ...]) -> None:
    """A worker without a server has no endpoints."""
    assert not hits(CODE, engine(*args, env=DEV))


@pytest.mark.parametrize("value", ["0", "", "true"])
def test_without_development_mode_nothing_is_open(value: str) -> None:
    """vLLM reads a number, and ends at what is none."""
    assert not hits(CODE, engine(env={"VLLM_SERVER_DEV_MODE": value}))


def test_the_switch_may_stand_in_a_config_map() -> None:
    """`envFrom` of a ConfigMap that is among the objects."""
    source = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
    assert hits(CODE, written("ConfigMap", "settings", data=DEV), engine(container=source))
    assert not hits(CODE, engine(container=source))


def policy(
    *ports: object,
    labels: dict[str, str] | None = None,
    namespace: str = "",
    version: str = "networking.k8s.io/v1",
) -> str:
    selector = {"matchLabels": {"app": "qwen"} if labels is None else labels}
    ingress = [{"ports": [{"port": port} for port in ports]}]
    spec = {"podSelector": selector, "ingress": ingress}
    return written("NetworkPolicy", "fence", spec, namespace=namespace, apiVersion=version)


@pytest.mark.parametrize(
    ("ports", "enforced", "end"),
    [
        ((9000,), False, "is the only fence, and nothing in this cluster enforces it"),
        ((9000,), None, "is the only fence, and whether it is enforced, manifests do not tell"),
        ((8000,), True, "is the only fence, and it opens this very port"),
        (("http",), True, "is the only fence, and it opens this very port"),
        ((), True, "is the only fence, and it opens this very port"),
    ],
)
def test_a_policy_alone_is_said(ports: tuple[object, ...], enforced: bool | None, end: str) -> None:
    """Worse where nothing enforces it; a rule without ports opens all."""
    named = {"ports": [{"name": "http", "containerPort": 8000}]}
    [what] = says(
        CODE,
        policy(*ports),
        engine(env=DEV, container=named),
        stated=Stated(policies_enforced=enforced),
    )
    assert what.endswith(f"NetworkPolicy fence {end}")


def test_an_enforced_policy_that_closes_the_port_is_a_fence() -> None:
    """Nobody reaches the engine's port then."""
    stated = Stated(policies_enforced=True)
    assert not hits(CODE, policy(9000), engine(env=DEV), stated=stated)
    assert hits(CODE, policy(9000), engine("--port=9000", env=DEV), stated=stated)


@pytest.mark.parametrize(
    "other", [policy(9000, labels={"app": "db"}), policy(9000, namespace="db")]
)
def test_a_policy_for_other_pods_is_no_fence(other: str) -> None:
    """Of other labels, or in another namespace."""
    text = engine(env=DEV, namespace="serving")
    [what] = says(CODE, other, text, stated=Stated(policies_enforced=True))
    assert "NetworkPolicy" not in what


def test_a_policy_that_says_no_namespace_goes_where_the_engine_does() -> None:
    """As files do that are applied with `-n`."""
    text = engine(env=DEV, namespace="serving")
    assert not hits(CODE, policy(9000), text, stated=Stated(policies_enforced=True))


def test_a_pod_in_its_nodes_network_passes_by_every_policy() -> None:
    """Plugins enforce them for pods' own addresses."""
    text = engine(env=DEV, pod={"hostNetwork": True})
    [what] = says(CODE, policy(9000), text, stated=Stated(policies_enforced=True))
    assert what.endswith("is the only fence, and a pod with hostNetwork passes by it")


def test_a_policy_of_another_api_is_no_fence() -> None:
    """Calico's kind of that name selects by other fields."""
    other = policy(9000, version="projectcalico.org/v3")
    [what] = says(CODE, other, engine(env=DEV), stated=Stated(policies_enforced=True))
    assert "only fence" not in what


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("projectcalico.org/v3", "NetworkPolicy"),
        ("crd.projectcalico.org/v1", "GlobalNetworkPolicy"),
        ("cilium.io/v2", "CiliumNetworkPolicy"),
    ],
)
def test_a_policy_of_another_api_is_named_as_not_judged(version: str, kind: str) -> None:
    """It may close the port, and has an order and selectors that nobody reads here."""
    other = written(kind, "wall", {"selector": "all()"}, apiVersion=version)

    (sentence,) = says(CODE, other, engine(env=DEV))

    group = version.partition("/")[0]
    assert sentence.endswith(f"; {kind}/wall ({group}) is not judged here")
