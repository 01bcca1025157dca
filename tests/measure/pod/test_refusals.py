"""What is refused, and found to be in the way, before anything is changed."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.workloads import Target
from firstlight.measure.pod.order import Scenario
from tests.measure.pod.conftest import PodBench
from tests.measure.pod.fake_cluster import pod

COLD = Scenario.COLD
FOLLOW = "firstlight measure deployment/vllm --follow"


def elsewhere(one: dict[str, Any]) -> dict[str, Any]:
    """The same in another namespace."""
    return {**one, "metadata": {**one["metadata"], "namespace": "other"}}


def test_nothing_is_done_without_a_yes(bench: PodBench) -> None:
    """What would be done is said instead."""
    with pytest.raises(BadInput, match="cordon 2 nodes a, b, delete pod vllm-1") as refused:
        bench.measured(COLD, confirmed=False)

    assert "--yes" in refused.value.remedy
    assert [] == bench.cluster.changes
    assert not bench.out.exists()


@pytest.mark.parametrize(
    ("denied", "words"),
    [
        ("delete pods", "you may not delete pods in namespace ns"),
        ("patch nodes", "you may not patch nodes"),
    ],
)
def test_a_missing_right_is_found_beforehand(bench: PodBench, denied: str, words: str) -> None:
    """No node is closed for a deletion that is then refused."""
    bench.cluster.denied = {denied}

    with pytest.raises(OutsideFailed, match=words):
        bench.measured(COLD)

    assert [] == bench.cluster.changes


@pytest.mark.parametrize(
    ("replicas", "words"), [(0, "is scaled to 0"), (2, "has 2 replicas"), (40, "has 40 replicas")]
)
def test_one_start_of_one_pod(bench: PodBench, replicas: int, words: str) -> None:
    """None, or beside engines that serve, is refused."""
    selector = {"matchLabels": {"app": "vllm"}}
    spec = {"replicas": replicas, "selector": selector}
    bench.cluster.put("deployments", {"metadata": {"name": "vllm"}, "spec": spec})

    with pytest.raises(BadInput, match=words):
        bench.measured()


@pytest.mark.parametrize(
    ("pods", "words", "remedy"),
    [
        ([], r"has no pod now$", FOLLOW),
        ([pod(1, node="a", leaving=True)], r"no pod now \(vllm-1 is on its way out\)", FOLLOW),
        (
            [pod(1, node="a", waits="ImagePullBackOff")],
            r"not Ready yet: vllm waits \(ImagePull",
            FOLLOW,
        ),
        ([pod(1, why="no node")], "not Ready yet: no node", FOLLOW),
        ([pod(1), pod(2)], r"has 2 pods now \(vllm-1, vllm-2\)", "kubectl rollout status"),
        ([pod(1, owner="uid-of-another")], "has no pod now", FOLLOW),
        ([elsewhere(pod(1))], "has no pod now", FOLLOW),
    ],
)
def test_a_pod_that_cannot_be_started_again(
    bench: PodBench, pods: list[dict[str, Any]], words: str, remedy: str
) -> None:
    """It is said what is in the way, before anything is changed."""
    bench.cluster.drop("pods", "vllm-1")
    for one in pods:
        bench.cluster.put("pods", one)

    with pytest.raises(OutsideFailed, match=words) as refused:
        bench.measured()

    assert remedy in refused.value.remedy
    assert [] == bench.cluster.changes


def test_a_workload_that_is_not_there(bench: PodBench) -> None:
    """Most often it is the namespace."""
    with pytest.raises(BadInput, match="there is no statefulset/x in namespace ns") as refused:
        bench.measured(target=Target(kind="statefulset", name="x", namespace="ns"))

    assert "-n" in refused.value.remedy
