"""Plans on a real node: each round a pod, and the workload as at the base at the end."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from onenode import OneNode

from tests.cluster.experiments import CACHE, PLACEBO, PodLab

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(240)]

RBAC = Path(__file__).resolve().parents[2] / "docs" / "rbac"


@pytest.fixture(scope="module")
def serving_node(node: OneNode) -> OneNode:
    """The node with the engine's image in its registry."""
    node.push_prepared("engine-base")
    return node


@pytest.fixture
def lab(serving_node: OneNode, tmp_path: Path) -> Iterator[PodLab]:
    with serving_node.namespace("experiment") as name:
        one = PodLab(home=tmp_path, namespace=name, cluster=serving_node)
        one.engine()
        yield one


def until(true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def documented() -> list[dict[str, Any]]:
    """The rules of the roles that an experiment needs in its namespace."""
    return [
        rule
        for file in ("capture.yaml", "follow.yaml", "experiment.yaml")
        for rule in next(iter(yaml.safe_load_all((RBAC / file).read_text())))["rules"]
    ]


def stands_as_at_the_base(lab: PodLab) -> None:
    """No trace of a step or of a run is left on the workload."""
    found = lab.deployment()
    template = found["spec"]["template"]
    names = {one["name"] for one in template["spec"]["containers"][0]["env"]}

    assert "firstlight.dev/experiment" not in found["metadata"].get("annotations", {})
    assert not template["metadata"].get("annotations")
    assert {"NOBODY_READS", "TRITON_CACHE_DIR"} & names == set()
    assert (1, "RollingUpdate") == (found["spec"]["replicas"], found["spec"]["strategy"]["type"])


@pytest.mark.slow
def test_a_plan_that_is_killed_goes_on(lab: PodLab) -> None:
    """
    Two steps and their base, each filled once and measured once. Killed while a pod starts, the
    run leaves a Deployment that works; resumed, it loses and repeats nothing. What it comes to
    is told by the folder alone.
    """
    lab.objects()
    running = lab.begun("run", lab.plan(CACHE, PLACEBO), "--into", lab.run, "--yes")
    second = lab.run / "rounds" / "01-compile-cache-local-warm-fill" / "round-01"
    until(second.exists, "the second round never began")
    time.sleep(0.5)
    running.kill()
    running.communicate()
    killed = lab.deployment()

    done = lab.say("resume", lab.run, "--yes")
    report = lab.report()
    base, cached, placebo = (step["scenarios"]["warm"] for step in report["steps"])

    assert 1 == killed["spec"]["replicas"]
    assert 0 == done.returncode, done.stderr
    fills = [(f"warm/{step}/fill", "ready") for step in range(3)]
    assert [*fills, *((f"warm/{step}/1", "ready") for step in range(3))] == lab.slots()
    assert 1 == len(list((lab.run / "interrupted").iterdir()))
    assert "kubernetes" == report["substrate"]
    verdicts = [[r["cache_verdict"] for r in step["rounds"]] for step in (base, cached, placebo)]
    assert [["fill", "fill"], ["fill", "hit"], ["hit", "hit"]] == verdicts
    assert {"applied": 1} == cached["effect"]
    assert placebo["serving"]["same_text"] is True
    assert [] == report["steps"][1]["against_previous"]["warm"]["against"]
    assert [] == report["steps"][2]["against_previous"]["warm"]["against"]
    assert report == lab.report_from_elsewhere()
    assert "Deployment/vllm stands as at the base" in done.stderr
    stands_as_at_the_base(lab)


@pytest.mark.slow
def test_an_engine_that_never_comes_up_stops_the_plan(lab: PodLab) -> None:
    """Its cause is told and kept, the workload put back; the cause mended, it goes on."""
    dies = lab.home / "bin" / "dies"
    lab.objects(FAKE_DIES="/opt/fake/dies")
    plan = lab.plan(attempts=1, timeout_s=10)
    dies.touch()

    stopped = lab.say("run", plan, "--into", lab.run, "--yes")
    told = lab.report()
    stands_as_at_the_base(lab)
    dies.unlink()
    done = lab.say("resume", lab.run, "--yes")

    assert 3 == stopped.returncode
    assert "the plan stopped: baseline (warm/0/fill) failed once" in stopped.stderr
    assert "was not Ready within" in told["stopped"]["why"]
    assert 0 == done.returncode, done.stderr
    expected = [("warm/0/fill", "failed"), ("warm/0/fill", "ready"), ("warm/0/1", "ready")]
    assert expected == lab.slots()


@pytest.mark.slow
def test_an_engine_in_a_pod_sleeps_and_wakes(lab: PodLab) -> None:
    """
    Through the API server, as on this host: the total is the wake-up's. The rights that are
    documented are enough for it.
    """
    lab.objects(VLLM_SERVER_DEV_MODE="1")
    user = lab.cluster.account_kubeconfig("enough", lab.namespace, rules=documented())

    done = lab.say("run", lab.plan(scenarios=["wake"]), "--into", lab.run, "--yes", kubeconfig=user)
    rounds = [one for step in lab.report()["steps"] for one in step["scenarios"]["wake"]["rounds"]]

    assert 0 == done.returncode, done.stderr
    woken = [one for one in rounds if one["purpose"] == "result"]
    assert [True] == [one["counts"] for one in woken]
    assert all(0.02 < one["total_s"] < 1 for one in woken)
    assert [["wake_up", "first_token"]] == [[p["name"] for p in o["phases"]] for o in woken]


def test_a_cold_round_without_a_new_node_fails(lab: PodLab) -> None:
    """That nothing here brings nodes is said before; the node is open again afterwards."""
    lab.objects()
    plan = lab.plan(PLACEBO, scenarios=["cold"], attempts=1, timeout_s=5)

    stopped = lab.say("run", plan, "--into", lab.run, "--yes")

    assert 3 == stopped.returncode
    assert "unless something else brings nodes" in stopped.stderr
    assert "got no node within" in stopped.stderr
    assert "pending because: " in stopped.stderr
    nodes = lab.cluster.kubectl.get("nodes")["items"]
    assert [None] == [one["spec"].get("unschedulable") for one in nodes]
    stands_as_at_the_base(lab)


@pytest.mark.slow
def test_cold_rounds_get_a_new_node_each(lab: PodLab, serving_node: OneNode) -> None:
    """The kubelet of the machine plays an autoscaler: it comes back under another name."""
    node, first = serving_node, serving_node.name
    lab.objects()
    running = lab.begun("run", lab.plan(PLACEBO, scenarios=["cold"]), "--into", lab.run, "--yes")
    try:
        until(lambda: waits_for_a_node(lab), "no pod waited for a node")
        node.stop_kubelet()
        node.start_kubelet("new-1")
        until(lambda: bool(lab.slots()), "the first round never ended")
        until(lambda: waits_for_a_node(lab), "no second pod waited for a node")
        node.stop_kubelet()
        node.start_kubelet("new-2")
        out, err = running.communicate(timeout=120)
        rounds = [
            one for step in lab.report()["steps"] for one in step["scenarios"]["cold"]["rounds"]
        ]

        assert 0 == running.returncode, err
        assert [True, True] == [one["counts"] for one in rounds], out
        nodes = lab.cluster.kubectl.get("nodes")["items"]
        assert not [one for one in nodes if one["spec"].get("unschedulable")]
    finally:
        running.kill()
        node.kubectl("-n", lab.namespace, "delete", "deployment", "vllm", "--wait=true")
        node.stop_kubelet(remove=True)
        for one in node.kubectl.get("nodes")["items"]:
            node.kubectl("delete", "node", one["metadata"]["name"])
        node.start_kubelet(first)


def waits_for_a_node(lab: PodLab) -> bool:
    pods = lab.cluster.kubectl.get("-n", lab.namespace, "pods")["items"]
    return any(not one["spec"].get("nodeName") for one in pods)


def test_nothing_is_done_without_a_yes_or_a_right(lab: PodLab) -> None:
    """What would be done is said; which right is missing too; and there is no Deployment."""
    lab.objects()
    plan = lab.plan(PLACEBO)
    fewer = [rule for rule in documented() if "patch" not in rule["verbs"]]
    user = lab.cluster.account_kubeconfig("fewer", lab.namespace, rules=fewer)

    unasked = lab.say("run", plan, "--into", lab.home / "unasked")
    refused = lab.say("run", plan, "--into", lab.run, "--yes", kubeconfig=user)

    assert 2 == unasked.returncode
    assert "going to replace the pod of deployment/vllm" in unasked.stderr
    assert "--yes" in unasked.stderr
    assert 3 == refused.returncode
    assert f"patch deployments.apps in namespace {lab.namespace}" in refused.stderr
    listed = lab.cluster.kubectl.get("-n", lab.namespace, "deployments")
    assert [] == listed["items"]


def test_two_runs_do_not_share_a_workload(lab: PodLab) -> None:
    """Nor does one go on in another namespace than it was begun in."""
    lab.objects()
    plan = lab.plan(PLACEBO, rounds=1)
    lab.cluster.kubectl("-n", lab.namespace, "apply", "-f", lab.home / "base.yaml")
    mark = "firstlight.dev/experiment=another-run"
    lab.cluster.kubectl("-n", lab.namespace, "annotate", "deployment/vllm", mark)

    taken = lab.say("run", plan, "--into", lab.run, "--yes")
    elsewhere = PodLab(home=lab.home, namespace="default", cluster=lab.cluster)
    moved = elsewhere.say("resume", lab.run, "--yes")

    assert 3 == taken.returncode
    assert "another run of a plan (another-run)" in taken.stderr
    assert f"{mark.partition('=')[0]}-" in taken.stderr
    assert 2 == moved.returncode
    assert f"is a run in namespace {lab.namespace}" in moved.stderr
