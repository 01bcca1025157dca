"""A start in a real cluster: made, waited for, and everything put back."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from onenode import OneNode

from firstlight.probe.environment import SITE

from .serving import apply, deployment, measure, ready

if TYPE_CHECKING:
    import subprocess

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

ANNOTATION = "firstlight.dev/cordoned"


@pytest.fixture(scope="module")
def serving_node(node: OneNode) -> OneNode:
    """The node with the server's image in its registry."""
    node.push_prepared("engine-base")
    return node


@pytest.fixture
def namespace(serving_node: OneNode) -> Iterator[str]:
    with serving_node.namespace("measure") as name:
        yield name


def ended(process: "subprocess.Popen[bytes]") -> tuple[int, dict[str, Any], str]:
    """The exit code, the document, and what was said."""
    out, err = process.communicate(timeout=200)
    said = err.decode()
    assert "Traceback" not in said
    return process.returncode, json.loads(out) if out.startswith(b"{") else {}, said


def recorded(into: Path, number: int = 1) -> dict[str, Any]:
    """What was written down."""
    (written,) = into.glob(f"*/round-{number:02d}/measured.json")
    text = written.read_text()
    record: dict[str, Any] = json.loads(text)
    return record


def until(true: Callable[[], bool], what: str) -> None:
    """Wait for something in the cluster."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def pods(node: OneNode, namespace: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = node.kubectl.get("-n", namespace, "pods")["items"]
    return items


def closed_nodes(node: OneNode) -> list[str]:
    """Nodes that are cordoned, or say that a measurement did it."""
    return [
        one["metadata"]["name"]
        for one in node.kubectl.get("nodes")["items"]
        if one["spec"].get("unschedulable") or ANNOTATION in one["metadata"].get("annotations", {})
    ]


def test_a_warm_start_is_measured(serving_node: OneNode, namespace: str, tmp_path: Path) -> None:
    """
    The pod is deleted, the next one watched until it is Ready and asked for a token; its
    bundle is saved and explained, as saved files are explained.
    """
    node = serving_node
    apply(node.kubectl, namespace, deployment())
    ready(node.kubectl, namespace)
    (before,) = pods(node, namespace)

    code, document, said = ended(
        measure(
            node.kubeconfig, namespace, tmp_path, "deployment/vllm", "--yes", "--output", "json"
        )
    )
    (start,) = document["starts"]
    record = recorded(tmp_path)

    assert 0 == code, said
    assert f"going to delete pod {before['metadata']['name']}" in said
    assert ("ready", "warm", "pod_created", "pod_ready") == (
        start["outcome"],
        start["scenario"],
        start["total_from"],
        start["total_to"],
    )
    assert before["metadata"]["uid"] != record["pod_uid"]
    assert "warm" == record["scenario"]
    assert record["deleted_ns"] < record["created_seen_ns"] < record["ready_seen_ns"]
    # Three seconds of sleep, and a probe every second.
    assert 3 < (record["ready_seen_ns"] - record["created_seen_ns"]) / 1e9 < 60
    assert 0 < record["first_token_ns"] < 10e9
    assert record["first_token_ns"] / 1e9 == pytest.approx(start["first_token_s"])
    assert {"reconnected": 0, "relisted": 0} == record["watch"]
    assert None is record["problem"]
    assert [] == record["notes"]


def test_nothing_is_done_without_a_yes(
    serving_node: OneNode, namespace: str, tmp_path: Path
) -> None:
    """What would be done is said, and the pod is the same."""
    node = serving_node
    apply(node.kubectl, namespace, deployment())
    ready(node.kubectl, namespace)
    before = pods(node, namespace)[0]["metadata"]["uid"]

    code, _, said = ended(
        measure(node.kubeconfig, namespace, tmp_path, "deploy/vllm", "--scenario", "cold")
    )

    assert 2 == code
    assert "cordon node" in said
    assert "--yes" in said
    assert [before] == [one["metadata"]["uid"] for one in pods(node, namespace)]
    assert [] == closed_nodes(node)
    assert not list(tmp_path.iterdir())


def test_several_replicas_are_refused(
    serving_node: OneNode, namespace: str, tmp_path: Path
) -> None:
    """A start beside engines that serve is not the start."""
    two = deployment()
    two["spec"]["replicas"] = 2
    apply(serving_node.kubectl, namespace, two)

    code, _, said = ended(
        measure(serving_node.kubeconfig, namespace, tmp_path, "deployment/vllm", "--yes")
    )

    assert 2 == code
    assert "has 2 replicas" in said


@pytest.mark.slow
def test_a_cold_start_gets_a_new_node(
    serving_node: OneNode, namespace: str, tmp_path: Path
) -> None:
    """
    The node is cordoned, and says by whom, until the new pod has the node that an autoscaler
    makes for it; then it is as it was. The pod before is gone, no node is deleted.
    """
    node = serving_node
    first = node.name
    apply(node.kubectl, namespace, deployment())
    ready(node.kubectl, namespace)
    (before,) = pods(node, namespace)
    running = measure(
        node.kubeconfig,
        namespace,
        tmp_path,
        *("deployment/vllm", "--scenario", "cold", "--yes", "--output", "json"),
    )
    try:
        until(lambda: closed_nodes(node) == [first], "the node was never cordoned")
        mark = json.loads(node.kubectl.get("node", first)["metadata"]["annotations"][ANNOTATION])
        until(
            lambda: (
                [
                    one["metadata"]["uid"] != before["metadata"]["uid"]
                    for one in pods(node, namespace)
                ]
                == [True]
            ),
            "the old pod never went",
        )
        assert [first] == closed_nodes(node)
        node.stop_kubelet()
        node.start_kubelet("new-1", labels={"karpenter.sh/nodepool": "tests"})
        code, document, said = ended(running)
        (start,) = document["starts"]
        record = recorded(tmp_path)

        assert 0 == code, said
        assert f"{namespace}/deployment/vllm" == mark["for"]
        assert [first] == record["cordoned"]
        assert ("cold", "new-1") == (record["scenario"], record["node"])
        assert ("cold", "ready") == (start["scenario"], start["outcome"])
        assert [] == closed_nodes(node)
        assert {first, "new-1"} == {
            one["metadata"]["name"] for one in node.kubectl.get("nodes")["items"]
        }
    finally:
        running.kill()
        node.kubectl("-n", namespace, "delete", "deployment", "vllm", "--wait=true")
        until(lambda: not pods(node, namespace), "the pod never went")
        node.stop_kubelet(remove=True)
        node.start_kubelet(first)


def test_a_cold_start_without_an_autoscaler_ends(
    serving_node: OneNode, namespace: str, tmp_path: Path
) -> None:
    """Why the pod is pending is said, what cold needs too; the node is open again."""
    node = serving_node
    apply(node.kubectl, namespace, deployment())
    ready(node.kubectl, namespace)

    code, _, said = ended(
        measure(
            node.kubeconfig,
            namespace,
            tmp_path,
            *("deployment/vllm", "--scenario", "cold", "--yes", "--timeout", "6"),
        )
    )
    record = recorded(tmp_path)

    assert 3 == code
    assert "pending because: 0/1 nodes are available" in said
    assert "autoscaler" in said
    assert ("timeout", None) == (record["outcome"], record["scenario"])
    assert [] == closed_nodes(node)


@pytest.mark.slow
def test_a_start_of_somebody_else_is_waited_for(
    serving_node: OneNode, namespace: str, tmp_path: Path
) -> None:
    """With --follow nothing is changed; the next start, whoever causes it, is measured."""
    node = serving_node
    apply(node.kubectl, namespace, deployment())
    ready(node.kubectl, namespace)
    (before,) = pods(node, namespace)
    running = measure(
        node.kubeconfig, namespace, tmp_path, "deployment/vllm", "--follow", "--output", "json"
    )
    assert running.stderr is not None
    assert b"waits for the next start" in running.stderr.readline()
    assert b"waiting for a new pod" in running.stderr.readline()
    assert [before["metadata"]["uid"]] == [o["metadata"]["uid"] for o in pods(node, namespace)]

    node.kubectl("-n", namespace, "rollout", "restart", "deployment/vllm")
    code, document, said = ended(running)
    (start,) = document["starts"]
    record = recorded(tmp_path)

    assert 0 == code, said
    assert (True, None, None) == (record["followed"], record["scenario"], record["deleted_ns"])
    assert record["created_seen_ns"] < record["ready_seen_ns"]
    assert "ready" == start["outcome"]


@pytest.mark.slow
def test_a_statefulset_and_its_pod_by_name(
    serving_node: OneNode, namespace: str, tmp_path: Path
) -> None:
    """
    Its next pod has the name of the one before, and is another; somebody who waits for the pod
    by its name measures the same start.
    """
    node = serving_node
    one = deployment(WEIGHTS_S="0")
    spec = {key: value for key, value in one["spec"].items() if key != "strategy"}
    apply(
        node.kubectl,
        namespace,
        {**one, "kind": "StatefulSet", "spec": {**spec, "serviceName": "x"}},
    )
    node.kubectl("-n", namespace, "rollout", "status", "statefulset/vllm", "--timeout=60s")
    (before,) = pods(node, namespace)
    waiting = measure(node.kubeconfig, namespace, tmp_path / "waits", "pod/vllm-0", "--follow")
    assert waiting.stderr is not None
    waiting.stderr.readline()
    waiting.stderr.readline()

    code, _, said = ended(
        measure(node.kubeconfig, namespace, tmp_path / "makes", "statefulset/vllm", "--yes")
    )
    waited, _, also_said = ended(waiting)
    records = [recorded(tmp_path / folder) for folder in ("makes", "waits")]

    assert (0, 0) == (code, waited), said + also_said
    assert before["metadata"]["uid"] != records[0]["pod_uid"] == records[1]["pod_uid"]
    assert [("vllm-0", "warm"), ("vllm-0", None)] == [(r["pod"], r["scenario"]) for r in records]
    seen = [record["created_seen_ns"] for record in records]
    assert abs(seen[0] - seen[1]) < 1_000_000_000


def test_a_server_without_completions_is_asked_in_chat(
    serving_node: OneNode, namespace: str, tmp_path: Path
) -> None:
    """Refused on one route, the token comes from the other."""
    node = serving_node
    apply(node.kubectl, namespace, deployment(ROUTE="/v1/chat/completions", WEIGHTS_S="0"))
    ready(node.kubectl, namespace)

    code, _, said = ended(measure(node.kubeconfig, namespace, tmp_path, "deployment/vllm", "--yes"))

    assert 0 == code, said
    assert recorded(tmp_path)["first_token_ns"] > 0


def test_a_server_that_wants_a_key_is_still_measured(
    serving_node: OneNode, namespace: str, tmp_path: Path
) -> None:
    """No token could be had, and why; the start is what it is."""
    node = serving_node
    apply(node.kubectl, namespace, deployment(KEY="yes", WEIGHTS_S="0"))
    ready(node.kubectl, namespace)

    code, _, said = ended(measure(node.kubeconfig, namespace, tmp_path, "deployment/vllm", "--yes"))
    record = recorded(tmp_path)

    assert 0 == code, said
    assert (None, None) == (record["first_token_ns"], record["problem"])
    assert "API key" in record["first_token_problem"]


@pytest.mark.slow
def test_a_crash_is_waited_through(serving_node: OneNode, namespace: str, tmp_path: Path) -> None:
    """
    A container that is started again is part of the start; one that never serves is failed,
    saved and explained.
    """
    node = serving_node
    apply(node.kubectl, namespace, deployment(WEIGHTS_S="0"))
    ready(node.kubectl, namespace)
    running = measure(
        node.kubeconfig,
        namespace,
        tmp_path,
        *("deployment/vllm", "--follow", "--timeout", "25", "--output", "json"),
    )
    assert running.stderr is not None
    running.stderr.readline()
    apply(node.kubectl, namespace, deployment(WEIGHTS_S="0", DIES="yes"))

    code, document, said = ended(running)
    record = recorded(tmp_path)

    assert 3 == code
    assert "failed" == document["starts"][0]["outcome"]
    assert "timeout" == record["outcome"]
    assert "restarts" in record["problem"]["message"], said


def test_the_probe_comes_along(serving_node: OneNode, namespace: str, tmp_path: Path) -> None:
    """Mounted from a ConfigMap, it writes into a volume, and its records are fetched."""
    node = serving_node
    site = f"--from-file={SITE}"
    node.kubectl("-n", namespace, "create", "configmap", "firstlight-probe", site)
    probed = deployment(
        WEIGHTS_S="0", PYTHONPATH="/firstlight/probe", FIRSTLIGHT_PROBE_DIR="/firstlight/records"
    )
    spec = probed["spec"]["template"]["spec"]
    spec["volumes"] = [
        {"name": "probe", "configMap": {"name": "firstlight-probe"}},
        {"name": "records", "emptyDir": {}},
    ]
    spec["containers"][0]["volumeMounts"] = [
        {"name": "probe", "mountPath": "/firstlight/probe", "readOnly": True},
        {"name": "records", "mountPath": "/firstlight/records"},
    ]
    apply(node.kubectl, namespace, probed)
    ready(node.kubectl, namespace)

    code, _, said = ended(
        measure(
            node.kubeconfig,
            namespace,
            tmp_path,
            *("deployment/vllm", "--yes", "--probe-from", "/firstlight/records"),
        )
    )
    record = recorded(tmp_path)
    files = list(tmp_path.glob(f"*/round-01/probe/{record['pod']}/*.jsonl"))

    assert 0 == code, said
    assert [] == record["notes"]
    assert files
    assert all(json.loads(file.read_text().splitlines()[0]) for file in files)
