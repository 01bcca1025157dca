"""
The whole start on a real node: cold and warm, measured, captured, and held against others.

A pod as users have it: an initContainer, an image of several hundred megabytes from a
real registry, a volume, the real vLLM in the container, the probe mounted. Cold plays a
new node: the kubelet comes back under another name, with the image forgotten. Four
witnesses: a stopwatch of the test's own, containerd's log, the bundle, `measure` itself.
"""

import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import pytest
from onenode import Assets, OneNode, deployment, engine_pod

from firstlight.probe.environment import SITE

pytestmark = [pytest.mark.cluster, pytest.mark.engine, pytest.mark.timeout(900)]

NAME = "vllm"
RECORDS = "/firstlight/records"
SMALL = "localhost:5000/small:1"


@pytest.fixture(scope="module")
def serving(
    assets: Assets, engine_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OneNode]:
    """A node with the Deployment on it, Ready once."""
    engine = engine_folder
    with OneNode.up(tmp_path_factory.mktemp("serving"), assets=assets) as node:
        image = node.push_prepared("engine-base")
        node.push_prepared("small")
        spec = engine_pod(
            engine,
            image=image,
            environment={
                "PYTHONPATH": f"/firstlight/probe:{engine}/venv/lib/python3.11/site-packages",
                "FIRSTLIGHT_PROBE_DIR": RECORDS,
                "VLLM_USE_AOT_COMPILE": "0",
                "VLLM_CACHE_ROOT": "/cache/vllm",
                "TORCHINDUCTOR_CACHE_DIR": "/cache/inductor",
            },
            volumes=[
                {"name": "probe", "hostPath": {"path": str(SITE)}},
                {"name": "records", "emptyDir": {}},
                {"name": "cache", "hostPath": {"path": str(cache(node))}},
            ],
            mounts=[
                {"name": "probe", "mountPath": "/firstlight/probe", "readOnly": True},
                {"name": "records", "mountPath": RECORDS},
                {"name": "cache", "mountPath": "/cache"},
            ],
            probe_period_s=2,
        )
        fetch = {"name": "fetch", "image": SMALL, "command": ["sleep", "3"]}
        node.kubectl.apply(deployment(NAME, {**spec, "initContainers": [fetch]}))
        node.kubectl("rollout", "status", f"deployment/{NAME}", "--timeout=420s", timeout_s=430)
        yield node


def cache(node: OneNode) -> Path:
    """A folder of the node that outlives its pods."""
    folder = node.kubeconfig.parent / "compile-cache"
    folder.mkdir(exist_ok=True)
    return folder


@dataclass
class Stopwatch:
    """When a new pod was first seen and when it was Ready, by one clock of the test's own.

    It reads what `kubectl get --watch` prints: nothing of firstlight has a part in it.
    """

    node: OneNode
    created: float | None = None
    ready: float | None = None
    pod: str = ""
    _process: subprocess.Popen[bytes] | None = None
    _reader: threading.Thread | None = None
    _known: set[str] = field(default_factory=set)

    def __enter__(self) -> Self:
        self._known = {p["metadata"]["uid"] for p in self.node.kubectl.get("pods")["items"]}
        command = [str(self.node.kubectl.binary), "--kubeconfig", str(self.node.kubeconfig)]
        command += ["get", "pods", "-l", f"app={NAME}", "--watch", "-o"]
        columns = (
            "custom-columns=U:.metadata.uid,N:.metadata.name,"
            'R:.status.conditions[?(@.type=="Ready")].status'
        )
        self._process = subprocess.Popen([*command, columns], stdout=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._reader is not None:
            self._process.terminate()
            self._process.wait(10)
            self._reader.join(10)

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        with self._process.stdout as told:
            for line in told:
                self._take(*line.decode().split())

    def _take(self, uid: str, name: str, *ready: str) -> None:
        if uid == "U" or uid in self._known:
            return
        if self.created is None:
            self.created, self.pod = time.monotonic(), name
        if ready == ("True",) and self.ready is None and name == self.pod:
            self.ready = time.monotonic()

    @property
    def seconds(self) -> float:
        deadline = time.monotonic() + 5
        while self.ready is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.created is not None
        assert self.ready is not None
        return self.ready - self.created


def firstlight(node: OneNode, *arguments: object) -> dict[str, Any]:
    """One command of firstlight, as anybody would type it; its JSON."""
    command = [str(a) for a in (".venv/bin/firstlight", *arguments, "--output", "json")]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        command,
        cwd=root,
        env={"KUBECONFIG": str(node.kubeconfig), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert 0 == done.returncode, done.stderr.decode()
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def phases(start: dict[str, Any]) -> dict[str, float]:
    return {phase["name"]: phase["seconds"] for phase in start["phases"]}


def pull_by_containerd(node: OneNode, since: int) -> float:
    """How long containerd says that it pulled the engine's image, from its log."""
    log = node.containerd_log.read_text()[since:]
    lines = [line for line in log.splitlines() if "PullImage" in line and "engine-base" in line]
    stamps = [re.search(r'time="([^"]+)"', line) for line in lines]
    first, last = (datetime.fromisoformat(s[1][:26] + "+00:00") for s in stamps if s)
    return (last - first).total_seconds()


def agrees(
    node: OneNode, tmp_path: Path, measured: dict[str, Any], stopwatch: Stopwatch
) -> dict[str, Any]:
    """What must be true of every measured start; the start."""
    starts: list[dict[str, Any]] = measured["starts"]
    (start,) = starts
    bundle = tmp_path / "bundle"
    firstlight(node, "capture", f"deployment/{NAME}", "--into", bundle)
    (again,) = firstlight(node, "explain", bundle)["starts"]
    (live,) = firstlight(node, "explain", f"deployment/{NAME}")["starts"]
    # The probe's records are measure's alone: the phases must be the same, not their parts.
    assert phases(start) == phases(again) == phases(live)
    assert start["total_s"] == again["total_s"] == live["total_s"]
    assert "ready" == start["outcome"]
    assert ["pod_created", "pod_ready"] == [start["total_from"], start["total_to"]]
    nanoseconds = [round(seconds * 1e9) for seconds in phases(start).values()]
    assert round(start["total_s"] * 1e9) == sum(nanoseconds)
    assert start["unexplained_s"] <= 0.03 * start["total_s"], start["unexplained_stretches"]
    assert stopwatch.seconds == pytest.approx(start["total_s"], abs=1.0)
    assert start["first_token_s"] is not None
    assert start["first_token_s"] > 0
    return start


@pytest.mark.slow
def test_a_cold_start(serving: OneNode, tmp_path: Path) -> None:
    """No image on the node, a node of another name: cordoned by `measure`, opened again by it."""
    before = serving.containerd_log.stat().st_size
    newcomer = "new-node"

    def provisioner() -> None:
        """The node is lost and another comes, as an autoscaler would have it."""
        while not pending(serving):
            time.sleep(0.1)
        serving.stop_kubelet()
        serving.forget_image("localhost:5000/engine-base:1")
        serving.start_kubelet(newcomer)

    played = threading.Thread(target=provisioner, daemon=True)
    with Stopwatch(serving) as stopwatch:
        played.start()
        measured = firstlight(
            serving,
            *("measure", f"deployment/{NAME}", "--scenario", "cold", "--yes"),
            *("--into", tmp_path / "runs", "--label", "cold", "--probe-from", RECORDS),
        )
        start = agrees(serving, tmp_path, measured, stopwatch)
    played.join(60)

    assert "cold" == start["scenario"]
    assert pull_by_containerd(serving, before) == pytest.approx(
        phases_of_engine_pull(start), abs=1.0
    )
    assert newcomer == start["placement"]["node"]
    assert "init_containers" in phases(start)
    assert not [n for n in serving.kubectl.get("nodes")["items"] if n["spec"].get("unschedulable")]


def phases_of_engine_pull(start: dict[str, Any]) -> float:
    """The engine's own pull: the initContainer's image is pulled before it."""
    (pull,) = (phase for phase in start["phases"] if phase["name"] == "image_pull")
    seconds: float = next(c["seconds"] for c in pull["children"] if "engine-base" in c["name"])
    return seconds


def pending(node: OneNode) -> bool:
    """Whether the new pod waits for a node."""
    pods = node.kubectl.get("pods", "-l", f"app={NAME}")["items"]
    return any(p["status"]["phase"] == "Pending" and not p["spec"].get("nodeName") for p in pods)


def test_a_warm_start(serving: OneNode, tmp_path: Path) -> None:
    """The same node, a new pod: the image lies there, and the compile cache is on the volume."""
    with Stopwatch(serving) as stopwatch:
        measured = firstlight(
            serving,
            *("measure", f"deployment/{NAME}", "--scenario", "warm", "--yes"),
            *("--into", tmp_path / "runs", "--label", "warm", "--probe-from", RECORDS),
        )
        start = agrees(serving, tmp_path, measured, stopwatch)

    assert "warm" == start["scenario"]
    assert "already present" == start["placement"]["image_state"]
    assert "image_pull" not in phases(start)
    assert "hit" == start["compile_cache"]["verdict"]
