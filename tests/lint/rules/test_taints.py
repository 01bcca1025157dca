"""Taints of pools, and who tolerates them."""

from typing import Any

import pytest

from firstlight.lint.rules import (
    pool_taint_not_tolerated,
    prepull_daemon_kept_out,
    startup_taint_stays,
)
from tests.lint.rules.around import (
    GPU,
    IN_POOL,
    daemon_set,
    deployment,
    engine,
    linted_by,
    pool,
    said_by,
)

REFUSED = pool_taint_not_tolerated.RULE
STAYS = startup_taint_stays.RULE
KEPT_OUT = prepull_daemon_kept_out.RULE
TAINT = {"key": "team", "value": "llm", "effect": "NoSchedule"}


ZONE = "topology.kubernetes.io/zone"


def tolerating(*tolerations: dict[str, Any]) -> dict[str, Any]:
    return IN_POOL | {"tolerations": list(tolerations)}


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "team", "operator": "Equal", "value": "web"},
        {"key": "team", "value": "llm", "effect": "NoExecute"},
        {"key": "other", "operator": "Exists"},
        {"key": "team", "operator": "Equal"},
    ],
)
def test_a_toleration_that_is_for_another(toleration: dict[str, Any]) -> None:
    """Value, effect and key have to fit."""
    made = deployment(pod=tolerating(toleration))

    assert 1 == len(said_by(REFUSED, pool(taints=[TAINT]), made))
    assert 1 == len(said_by(REFUSED, pool(taints=[TAINT]), deployment(pod=IN_POOL)))


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "team", "value": "llm", "effect": "NoSchedule"},
        {"key": "team", "operator": "Exists"},
        {"operator": "Exists"},
    ],
)
def test_a_toleration_that_fits(toleration: dict[str, Any]) -> None:
    """As the scheduler reads it."""
    assert [] == said_by(REFUSED, pool(taints=[TAINT]), deployment(pod=tolerating(toleration)))


def test_a_taint_that_keeps_nobody_away() -> None:
    """It only makes the node less wanted."""
    soft = TAINT | {"effect": "PreferNoSchedule"}

    assert [] == said_by(REFUSED, pool(taints=[soft]), deployment(pod=IN_POOL))


def test_the_taint_of_a_resource_that_is_asked_for() -> None:
    """EKS gives such pods the toleration when they are made."""
    taints = [{"key": GPU, "effect": "NoSchedule"}]

    assert [] == said_by(REFUSED, pool(taints=taints), deployment(pod=IN_POOL))
    without = deployment(engine(resources={}), pod=IN_POOL)
    assert 1 == len(said_by(REFUSED, pool(taints=taints), without))


def test_another_pool_may_take_them() -> None:
    """One of two that are asked for, or one that is not among the objects."""
    chosen = {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["gpu", "open"]}
    required = {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [chosen]}]
        }
    }
    made = deployment(pod={"affinity": {"nodeAffinity": required}})

    assert [] == said_by(REFUSED, pool(taints=[TAINT]), pool(name="open"), made)
    assert [] == said_by(REFUSED, pool(taints=[TAINT]), made)


def test_pods_that_choose_no_pool() -> None:
    """They may run anywhere, or by a label that every node has."""
    zone = {ZONE: "us-east-1a"}
    labelled = pool(labels={"tier": "gpu"}, required={ZONE: ["us-east-1a"]}, taints=[TAINT])

    assert [] == said_by(REFUSED, labelled, deployment())
    assert [] == said_by(REFUSED, labelled, deployment(pod={"nodeSelector": zone}))


def test_pods_that_choose_a_pool_by_a_label_of_its_own() -> None:
    """A warning: nodes that nobody showed may have the label, and be open."""
    tainted = pool(labels={"tier": "gpu"}, taints=[TAINT])
    made = deployment(pod={"nodeSelector": {"tier": "gpu"}})

    linted = linted_by(REFUSED, tainted, made)

    assert ["warning"] == [one.severity for one in linted.findings]
    assert "can not be scheduled onto NodePool/gpu" in linted.findings[0].what
    assert [] == said_by(REFUSED, tainted, pool(name="open", labels={"tier": "gpu"}), made)
    assert ["error"] == [
        one.severity for one in linted_by(REFUSED, tainted, deployment(pod=IN_POOL)).findings
    ]


def test_a_pool_of_another_kind_is_not_karpenters() -> None:
    """Others call theirs NodePool too."""
    other = pool(taints=[TAINT]) | {"apiVersion": "example.com/v1"}

    assert [] == said_by(REFUSED, other, deployment(pod=IN_POOL))


def test_a_startup_taint_that_nothing_removes() -> None:
    """A label chooses the pool as well as its name does."""
    taint = {"key": "example.com/check", "effect": "NoSchedule"}
    made = deployment(pod={"nodeSelector": {"tier": "gpu"}})

    said = said_by(STAYS, pool(labels={"tier": "gpu"}, startupTaints=[taint]), made)

    assert 1 == len(said)
    assert "example.com/check:NoSchedule" in said[0]


@pytest.mark.parametrize(
    "key",
    [
        "node.cilium.io/agent-not-ready",
        "ebs.csi.aws.com/agent-not-ready",
        "readiness.k8s.io/network",
        "node.cloudprovider.kubernetes.io/uninitialized",
    ],
)
def test_a_startup_taint_with_a_known_remover(key: str) -> None:
    """Those drivers and controllers take theirs away."""
    taint = {"key": key, "effect": "NoExecute"}

    assert [] == said_by(STAYS, pool(startupTaints=[taint]), deployment(pod=IN_POOL))


def test_a_startup_taint_that_a_daemon_set_tolerates() -> None:
    """It may be the one that removes it; the engine's own toleration removes nothing."""
    taint = {"key": "example.com/check", "effect": "NoSchedule"}
    everything = {"tolerations": [{"operator": "Exists"}]}
    made = pool(startupTaints=[taint])

    assert [] == said_by(STAYS, made, daemon_set(pod=everything), deployment(pod=IN_POOL))
    assert 1 == len(said_by(STAYS, made, deployment(pod=IN_POOL | everything)))


def test_a_startup_taint_of_a_pool_that_no_engine_uses() -> None:
    """It delays nothing of ours."""
    taint = {"key": "example.com/check", "effect": "NoSchedule"}

    assert [] == said_by(STAYS, pool(name="web", startupTaints=[taint]), deployment(pod=IN_POOL))


def test_a_pulling_daemon_set_that_is_kept_out() -> None:
    """The toleration for a GPU's taint comes to pods that ask for one, and it does not."""
    taints = [{"key": GPU, "effect": "NoSchedule"}]
    made = (pool(taints=taints), deployment(pod=IN_POOL))
    tolerates = {"tolerations": [{"key": GPU, "operator": "Exists"}]}

    assert 1 == len(said_by(KEPT_OUT, *made, daemon_set()))
    assert [] == said_by(KEPT_OUT, *made, daemon_set(pod=tolerates))
    assert [] == said_by(KEPT_OUT, *made, daemon_set(image="registry.example/logs:1"))
    assert [] == said_by(KEPT_OUT, pool(), deployment(pod=IN_POOL), daemon_set())


def test_a_pulling_daemon_set_and_a_pool_that_is_chosen_by_a_label() -> None:
    """A note: the engine may run on other nodes of that label."""
    tainted = pool(labels={"tier": "gpu"}, taints=[TAINT])
    made = deployment(pod={"nodeSelector": {"tier": "gpu"}})

    linted = linted_by(KEPT_OUT, tainted, made, daemon_set())

    assert ["note"] == [one.severity for one in linted.findings]
    assert linted.findings[0].what.endswith("unless they are of a pool that is not here")
    assert [] == said_by(KEPT_OUT, tainted, deployment(), daemon_set())
