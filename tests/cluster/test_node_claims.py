"""
The node's part of a start, with Karpenter played on a real API server.

A kubelet really joins late, a real scheduler waits for it, and what `explain` says is
held against a stopwatch.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from onenode import Assets, Client, ControlPlane, OneNode

from firstlight.core.starts import Start
from firstlight.wiring.explaining import explain_inputs

from .karpenter import Provisioner, installed

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

SMALL = "localhost:5000/small:1"
NEW_NODE = "karpenter-1"
TAINT = "example.com/not-ready:NoSchedule"


def pod(name: str = "vllm-0") -> dict[str, Any]:
    container = {"name": "vllm", "image": SMALL, "command": ["sleep", "1000"]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 1},
    }


def saved(kubectl: Client, folder: Path) -> Path:
    """What anybody would save: `kubectl get ... -o json`."""
    folder.mkdir()
    for kind in ("pods", "events", "nodes", "nodeclaims"):
        (folder / f"{kind}.json").write_text(kubectl("get", kind, "-o", "json"))
    return folder


def explained(folder: Path) -> Start:
    (start,) = explain_inputs([str(folder)])
    return start


def seconds(start: Start, phase: str) -> float:
    return sum(s.length_ns for s in start.phases if s.name == phase) / 1e9


def parts(start: Start, phase: str) -> dict[str, float]:
    return {c.name: c.length_ns / 1e9 for s in start.phases if s.name == phase for c in s.children}


def eventually(holds: Callable[[], bool], timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.2)


@pytest.fixture
def empty_node(assets: Assets, tmp_path: Path) -> Iterator[OneNode]:
    """A cluster without a node: what Karpenter finds when a GPU is asked for the first time."""
    with OneNode.up(tmp_path / "node", assets=assets, kubelet=False) as node:
        node.push_prepared("small")
        with installed(node.kubectl):
            yield node


def test_a_node_made_for_a_pod_is_right_to_a_second(empty_node: OneNode, tmp_path: Path) -> None:
    """Claim, launch, a kubelet that really joins late, a taint that goes: each part its time."""
    kubectl = empty_node.kubectl
    kubectl.apply(pod())
    eventually(lambda: "FailedScheduling" in kubectl("get", "events"))
    provisioner = Provisioner(kubectl, "gpu-abc12")
    provisioner.create()
    time.sleep(2.3)
    provisioner.launched()
    time.sleep(3.4)
    empty_node.start_kubelet(NEW_NODE, taints=[TAINT], wait=False)
    eventually(lambda: NEW_NODE in kubectl("get", "nodes"))
    provisioner.registered(NEW_NODE)
    provisioner.not_initialized(TAINT)
    empty_node.wait_ready()
    ready = time.monotonic()
    time.sleep(4.2)
    kubectl("taint", "node", NEW_NODE, TAINT.split(":", maxsplit=1)[0] + "-")
    provisioner.initialized()
    kubectl("wait", "--for=condition=Ready", "pod/vllm-0", "--timeout=60s")

    start = explained(saved(kubectl, tmp_path / "saved"))

    at = provisioner.at
    whole = at["initialized"] - at["created"]
    assert whole == pytest.approx(seconds(start, "node_provisioning"), abs=1.0)
    told = parts(start, "node_provisioning")
    # Stamps are whole seconds: a node may be ready in the one in which it is registered.
    order = ["launched", "registered", "ready", "initialized"]
    assert [name for name in order if name in told or name != "ready"] == list(told)
    assert at["launched"] - at["created"] == pytest.approx(told["launched"], abs=1.0)
    assert at["registered"] - at["launched"] == pytest.approx(told["registered"], abs=1.0)
    assert at["initialized"] - ready == pytest.approx(told["initialized"], abs=1.5)
    assert start.total is not None
    assert "cold" == start.scenario
    assert start.placement is not None
    assert ["gpu-abc12", NEW_NODE, "g7e.2xlarge"] == [
        start.placement.node_claim,
        start.placement.node,
        start.placement.instance_type,
    ]
    assert start.total.timeline.length_ns == sum(s.length_ns for s in start.phases)


@pytest.fixture
def played(assets: Assets, tmp_path: Path) -> Iterator[ControlPlane]:
    """A control plane with a scheduler, where a test plays the kubelet."""
    with (
        ControlPlane.up(tmp_path / "plane", assets=assets, controllers=True) as plane,
        installed(plane.kubectl),
    ):
        yield plane


def test_a_node_that_never_registers(played: ControlPlane, tmp_path: Path) -> None:
    """The machine was launched, and the pod waits for it."""
    kubectl = played.kubectl
    kubectl.apply(pod())
    provisioner = Provisioner(kubectl, "gpu-lost0")
    provisioner.create()
    provisioner.launched()
    eventually(lambda: "FailedScheduling" in kubectl("get", "events"))

    start = explained(saved(kubectl, tmp_path / "saved"))

    assert start.failure is not None
    assert "node_never_registered" == start.failure.kind
    assert "gpu-lost0" in start.failure.message
    assert start.total is None
    assert start.placement is not None
    assert "gpu-lost0" == start.placement.node_claim


def test_a_node_that_stays_uninitialised(played: ControlPlane, tmp_path: Path) -> None:
    """It joined, and a taint keeps the pod away: the stamp of a False completes nothing."""
    kubectl = played.kubectl
    kubectl.apply(pod())
    provisioner = Provisioner(kubectl, "gpu-stuck")
    provisioner.create()
    provisioner.launched()
    key, effect = TAINT.split(":")
    kubectl.apply(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": NEW_NODE},
            "spec": {"taints": [{"key": key, "effect": effect}]},
        }
    )
    provisioner.registered(NEW_NODE)
    time.sleep(1.1)
    provisioner.not_initialized(TAINT)
    eventually(lambda: "FailedScheduling" in kubectl("get", "events"))

    start = explained(saved(kubectl, tmp_path / "saved"))

    assert "initialized" not in parts(start, "node_provisioning")
    (finding,) = (f for f in start.findings if f.code == "node-not-there-yet")
    assert TAINT in finding.what
    assert start.failure is None
    assert "waits-for-a-node" in {f.code for f in start.findings}
    assert "scheduling" == start.unfinished
