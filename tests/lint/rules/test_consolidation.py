"""When Karpenter moves running engines, and what keeps them where they are."""

from typing import Any

import pytest

from firstlight.lint.rules import consolidation_moves_engine
from tests.lint.rules.around import IN_POOL, deployment, pool, said_by

MOVES = consolidation_moves_engine.RULE
ENGINE = deployment(pod=IN_POOL)
MOVING = pool(disruption={"consolidateAfter": "30s"})


@pytest.mark.parametrize(
    "disruption",
    [
        {"consolidationPolicy": "WhenEmptyOrUnderutilized"},
        {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "1m30s"},
        {"consolidateAfter": "0s"},
        {"consolidationPolicy": "WhenUnderutilized"},
    ],
)
def test_engines_may_be_moved(disruption: dict[str, Any]) -> None:
    """Karpenter's default moves them, too."""
    assert 1 == len(said_by(MOVES, pool(disruption=disruption), ENGINE))


@pytest.mark.parametrize(
    "disruption",
    [
        {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"},
        {"consolidateAfter": "Never"},
        {"consolidateAfter": "1h"},
        {"consolidateAfter": "$(AFTER)"},
    ],
)
def test_engines_are_left_alone(disruption: dict[str, Any]) -> None:
    """Only empty nodes, never, after long, or not known."""
    assert [] == said_by(MOVES, pool(disruption=disruption), ENGINE)


@pytest.mark.parametrize(
    ("budget", "keeps"),
    [
        ({"nodes": "0"}, True),
        ({"nodes": 0}, True),
        ({"nodes": "0%"}, True),
        ({"nodes": "${NODES}"}, True),
        ({"nodes": "1"}, False),
        ({"nodes": "1%"}, False),
        ({"nodes": "0", "reasons": ["Underutilized", "Drifted"]}, True),
        ({"nodes": "0", "reasons": ["Drifted"]}, False),
        ({"nodes": "0", "reasons": ["Empty"]}, False),
        ({"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}, False),
        ({"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}, False),
        ({"nodes": "0", "schedule": "0 9 * * *", "duration": "24h"}, True),
        ({"nodes": "0", "schedule": "* * * * *", "duration": "1m"}, True),
        ({"nodes": "0", "schedule": "@daily", "duration": "24h"}, True),
        ({"nodes": "0", "schedule": "@daily", "duration": "23h59m"}, False),
        ({"nodes": "0", "schedule": "${WHEN}", "duration": "8h"}, True),
    ],
)
def test_only_a_budget_of_nothing_for_ever_keeps_them(
    budget: dict[str, Any], *, keeps: bool
) -> None:
    """For the reason that a node with pods goes for; what cannot be read may be such a budget."""
    made = pool(disruption={"consolidateAfter": "30s", "budgets": [{"nodes": "10%"}, budget]})

    assert keeps == ([] == said_by(MOVES, made, ENGINE))


def budget(selector: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A PodDisruptionBudget, for the engine's pods unless it says others."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "keep", "namespace": "serving"},
        "spec": {"selector": selector or {"matchLabels": {"app": "qwen"}}} | spec,
    }


@pytest.mark.parametrize(
    ("spec", "replicas", "keeps"),
    [
        ({"maxUnavailable": 0}, 3, True),
        ({"maxUnavailable": "0%"}, 3, True),
        ({"maxUnavailable": 1}, 3, False),
        ({"maxUnavailable": "1%"}, 1, False),
        ({"maxUnavailable": "${N}"}, 3, True),
        ({"minAvailable": "100%"}, 3, True),
        ({"minAvailable": "50%"}, 3, False),
        ({"minAvailable": "50%"}, 1, True),
        ({"minAvailable": 3}, 3, True),
        ({"minAvailable": 2}, 3, False),
        ({"minAvailable": 1}, 1, True),
        ({"minAvailable": 1}, "${REPLICAS}", True),
        ({}, 3, True),
    ],
)
def test_only_a_budget_that_lets_no_pod_go_keeps_them(
    spec: dict[str, Any], replicas: int | str, *, keeps: bool
) -> None:
    """Shares are rounded up; of what is not known nothing is said."""
    said = said_by(MOVES, MOVING, deployment(pod=IN_POOL, replicas=replicas), budget(**spec))

    assert keeps == ([] == said)
    assert all("PodDisruptionBudget keep lets them go in turn" in one for one in said)


@pytest.mark.parametrize(
    ("selector", "keeps"),
    [
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["qwen"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["qwen"]}]}, False),
        ({"matchLabels": {"app": "web"}}, False),
        ({"matchLabels": {}}, True),
    ],
)
def test_the_budget_has_to_be_for_these_pods(selector: dict[str, Any], *, keeps: bool) -> None:
    """By labels or expressions; an empty selector is for all."""
    assert keeps == ([] == said_by(MOVES, MOVING, ENGINE, budget(selector, maxUnavailable=0)))


def test_an_autoscaler_makes_more_pods_than_the_budget_needs() -> None:
    """Then some may go."""
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "qwen", "namespace": "serving"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "qwen"},
            "maxReplicas": 3,
        },
    }

    assert [] == said_by(MOVES, MOVING, ENGINE, budget(minAvailable=1))
    assert 1 == len(said_by(MOVES, MOVING, ENGINE, scaler, budget(minAvailable=1)))
    assert [] == said_by(MOVES, MOVING, ENGINE, scaler, budget(minAvailable=3))


def test_a_budget_over_two_engines_counts_the_pods_of_both() -> None:
    """One of each may go where only one has to stay."""
    both = (ENGINE, deployment(pod=IN_POOL, name="other"))

    assert 1 == len(said_by(MOVES, MOVING, *both, budget(minAvailable=1)))
    assert [] == said_by(MOVES, MOVING, *both, budget(minAvailable=2))


def test_pods_that_say_no() -> None:
    """By an annotation; a budget elsewhere is none of theirs."""
    kept = deployment(pod=IN_POOL, annotations={"karpenter.sh/do-not-disrupt": "true"})
    elsewhere = budget(maxUnavailable=0)
    elsewhere["metadata"] = {"name": "keep", "namespace": "other"}

    assert [] == said_by(MOVES, MOVING, kept)
    assert 1 == len(said_by(MOVES, MOVING, ENGINE, elsewhere))
