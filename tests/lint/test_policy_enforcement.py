"""What is installed in a cluster tells whether it enforces NetworkPolicies, or nothing does."""

from typing import Any

import pytest

from firstlight.lint.policy_enforcement import policy_enforcement


def agent(name: str, *args: str, namespace: str = "kube-system") -> dict[str, Any]:
    pod = {"containers": [{"name": name, "args": None}, {"name": "agent", "args": list(args)}]}
    return {
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"template": {"spec": pod}},
    }


def config(name: str, **data: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": {k.replace("_", "-"): v for k, v in data.items()}}


AMAZON_ON = config("amazon-vpc-cni", enable_network_policy_controller="true")
AMAZON_OFF = config("amazon-vpc-cni", enable_network_policy_controller="false")
FOUND = [
    ([agent("calico-node", namespace="calico-system")], [], True),
    ([agent("cilium")], [], True),
    ([agent("cilium")], [config("cilium-config", enable_policy="never")], False),
    ([agent("kube-flannel-ds", namespace="kube-flannel")], [], False),
    ([agent("canal"), agent("kube-flannel-ds")], [], True),
    ([agent("aws-node", "--enable-network-policy=true")], [], True),
    ([agent("aws-node", "--enable-network-policy=false", "--x")], [AMAZON_ON], False),
    ([agent("aws-node")], [AMAZON_ON], False),
    ([agent("aws-node"), agent("calico-node")], [], True),
    ([], [AMAZON_ON], True),
    ([], [AMAZON_OFF], False),
    ([], [config("amazon-vpc-cni")], False),
    ([agent("kindnet")], [], None),
    ([], [], None),
]


@pytest.mark.parametrize(("agents", "configs", "expected"), FOUND)
def test_the_network_plugin_tells(
    agents: list[dict[str, Any]], configs: list[dict[str, Any]], expected: bool | None
) -> None:
    """Amazon's only where its agent is switched on; of an unknown one nothing is concluded."""
    found = policy_enforcement(agents, configs)

    assert found.enforced is expected
    beginnings = {
        True: "NetworkPolicies are enforced: ",
        False: "NetworkPolicies are not enforced: ",
        None: "whether NetworkPolicies are enforced cannot be told: ",
    }
    assert found.says.startswith(beginnings[expected])


def test_it_says_by_what() -> None:
    """So that somebody can look."""
    found = policy_enforcement([agent("aws-node", "--enable-network-policy=false")], [])

    assert (
        "NetworkPolicies are not enforced: the DaemonSet aws-node says "
        "--enable-network-policy=false"
    ) == found.says
