"""Closing nodes, and opening every one of them again."""

import json
from collections.abc import Callable

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.measure.pod.cordons import ANNOTATION, Cordons, Signature, opened
from firstlight.measure.pod.restoring import restore
from tests.measure.pod import contract
from tests.measure.pod.contract import SIGNATURE, the_node
from tests.measure.pod.fake_cluster import FakeCluster, node, pod


@pytest.mark.parametrize("behaviour", contract.NODE_CONTRACT)
def test_the_fake_keeps_the_contract(behaviour: Callable[[FakeCluster, str], None]) -> None:
    """As the real one does, in the tests of the cluster."""
    cluster = FakeCluster()
    cluster.put("nodes", node("a"))

    behaviour(cluster, "a")


def test_the_fake_deletes_by_uid() -> None:
    """As the real one does."""
    cluster = FakeCluster()
    cluster.put("pods", pod(1))

    contract.another_pod_of_the_name_is_not_deleted(cluster, "ns", "vllm-1")
    contract.what_is_not_there_is_absent(cluster)


def test_the_fake_lists_what_was_asked_for() -> None:
    """As the real one does."""
    cluster = FakeCluster()
    cluster.put("pods", pod(1))

    contract.a_list_is_of_what_was_asked_for(cluster, "ns", "vllm-1", labels="app=vllm")


def test_a_node_that_changes_all_the_time_is_closed_in_the_end() -> None:
    """Each lost race is a look and another try; ours is the last word."""
    cluster = FakeCluster()
    seen = cluster.put("nodes", node("a"))

    def somebody() -> None:
        cluster.put("nodes", node("a"))

    cluster.quicker["patch nodes a"] = [somebody] * 3

    Cordons(cluster, SIGNATURE).close([seen])

    assert (True, SIGNATURE.text) == the_node(cluster, "a")


def test_a_lost_answer_is_a_deed_until_looked_at() -> None:
    """The connection breaks after the patch was carried out: the node is opened all the same."""
    cluster = FakeCluster(lost_answers=["patch nodes a"])
    seen = cluster.put("nodes", node("a"))
    cordons = Cordons(cluster, SIGNATURE)

    with pytest.raises(OutsideFailed):
        cordons.close([seen])

    assert (True, SIGNATURE.text) == the_node(cluster, "a")
    assert cordons.is_closing
    assert [] == cordons.open_all()
    assert (False, None) == the_node(cluster, "a")


def test_opening_is_tried_again_when_its_answer_is_lost() -> None:
    """The second look finds it done."""
    cluster = FakeCluster()
    cordons = Cordons(cluster, SIGNATURE)
    cordons.close([cluster.put("nodes", node("a"))])
    cluster.lost_answers = ["patch nodes a", "get nodes a"]

    assert [] == cordons.open_all()
    assert (False, None) == the_node(cluster, "a")


def test_a_node_that_changes_while_it_is_opened() -> None:
    """A kubelet's heartbeat in between is no reason to leave it closed."""
    cluster = FakeCluster()
    cordons = Cordons(cluster, SIGNATURE)
    cordons.close([cluster.put("nodes", node("a"))])

    def heartbeat() -> None:
        cluster.put("nodes", {**cluster.node("a"), "status": {"beat": 1}})

    cluster.quicker["patch nodes a"] = [heartbeat]

    assert [] == cordons.open_all()
    assert (False, None) == the_node(cluster, "a")


def test_a_node_that_another_run_closed_meanwhile_is_theirs() -> None:
    """Between the look and the patch somebody mended it, and another measurement closed it."""
    cluster = FakeCluster()
    cordons = Cordons(cluster, SIGNATURE)
    cordons.close([cluster.put("nodes", node("a"))])
    other = Signature(run="run-2", at="later", target="ns/deployment/other")

    def somebody() -> None:
        metadata = {"name": "a", "annotations": {ANNOTATION: other.text}}
        cluster.put("nodes", {"metadata": metadata, "spec": {"unschedulable": True}})

    cluster.quicker["patch nodes a"] = [somebody]

    assert [] == cordons.open_all()
    assert (True, other.text) == the_node(cluster, "a")


def test_what_stays_closed_is_said_with_what_to_type() -> None:
    """And the others are opened."""
    cluster = FakeCluster()
    cordons = Cordons(cluster, SIGNATURE)
    cordons.close([cluster.put("nodes", node(name)) for name in ("a", "b")])
    cluster.refusals["patch nodes a"] = 403

    (problem,) = cordons.open_all()

    assert "node a is still cordoned: is forbidden" == problem.message
    assert "kubectl uncordon a" in problem.remedy
    assert (False, None) == the_node(cluster, "b")
    assert cordons.is_closing


def test_a_cluster_that_is_gone_is_not_waited_for_node_by_node() -> None:
    """After the patience with the first, what to type is said for each."""
    cluster = FakeCluster()
    cordons = Cordons(cluster, SIGNATURE)
    cordons.close([cluster.put("nodes", node(name)) for name in ("a", "b", "c")])
    cluster.lost_answers = ["get nodes a"] * 3
    asked = len(cluster.calls)

    problems = cordons.open_all()

    assert ["get nodes a"] * 3 == cluster.calls[asked:]
    assert [f"node {name} is still cordoned: the connection broke" for name in "abc"] == [
        one.message for one in problems
    ]
    assert [] == cordons.open_all()


def test_a_node_that_went_away_needs_nothing() -> None:
    """An autoscaler may take it while it is closed."""
    cluster = FakeCluster()
    cordons = Cordons(cluster, SIGNATURE)
    cordons.close([cluster.put("nodes", node("a"))])
    cluster.drop("nodes", "a")

    assert [] == cordons.open_all()


def test_everything_that_is_left_is_mended() -> None:
    """Also what says something unreadable; nothing else is touched, and once is enough."""
    cluster = FakeCluster()
    for name, text in (("a", SIGNATURE.text), ("b", "{]"), ("c", json.dumps([1]))):
        metadata = {"name": name, "annotations": {ANNOTATION: text, "of": "somebody"}}
        cluster.put("nodes", {"metadata": metadata, "spec": {"unschedulable": True}})
    cluster.put("nodes", node("theirs", closed=True))

    restored = restore(cluster)

    assert ["a", "b", "c"] == [one.node for one in restored.mended]
    assert (
        "uncordoned a, which a measurement of ns/deployment/vllm had cordoned at "
        "2026-01-01T00:00:00Z"
    ) == str(restored.mended[0])
    assert {"of": "somebody"} == cluster.node("b")["metadata"]["annotations"]
    assert [False, False, False] == [the_node(cluster, name)[0] for name in "abc"]
    assert (True, None) == the_node(cluster, "theirs")
    assert [] == restore(cluster).mended


def test_one_may_mend_what_one_may() -> None:
    """A node that may not be patched does not keep the others closed."""
    cluster = FakeCluster()
    for name in ("a", "b"):
        Cordons(cluster, SIGNATURE).close([cluster.put("nodes", node(name))])
    cluster.refusals["patch nodes a"] = 403

    restored = restore(cluster)

    assert ["b"] == [one.node for one in restored.mended]
    assert ["node a is still cordoned: is forbidden"] == [one.message for one in restored.problems]
    assert opened(cluster, "b", run=None) is False
