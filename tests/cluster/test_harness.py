"""The harness itself: a node that runs pods, pulls for real, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from onenode import (
    Assets,
    Client,
    ClusterFailed,
    ControlPlane,
    Image,
    Layer,
    OneNode,
    deployment,
    engine_pod,
    entries,
)

from .conftest import CLUSTER, absent

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

BIG_BYTES = 300_000_000
SMALL = "localhost:5000/small:1"


def pod(name: str, image: str) -> dict[str, object]:
    """A pod that prints a word before it starts and then waits."""
    first = {"name": "first", "image": SMALL, "command": ["echo", "prepared"]}
    main = {"name": "main", "image": image, "command": ["sleep", "1000"]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "initContainers": [first],
            "containers": [main],
            "terminationGracePeriodSeconds": 0,
        },
    }


def run_pod(node: OneNode, namespace: str, name: str, image: str) -> None:
    """Make a pod and wait until it is Ready."""
    node.kubectl("-n", namespace, "apply", "-f", "-", input=json.dumps(pod(name, image)))
    node.kubectl("-n", namespace, "wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s")


def test_a_pod_runs(node: OneNode) -> None:
    """An image comes out of the registry, an init container ran first."""
    node.push_prepared("small")

    with node.namespace() as namespace:
        run_pod(node, namespace, "runs", SMALL)

        assert "prepared\n" == node.kubectl("-n", namespace, "logs", "runs", "-c", "first")
        assert "yes\n" == node.kubectl(
            "-n", namespace, "exec", "runs", "-c", "main", "--", "echo", "yes"
        )


@pytest.mark.slow
def test_a_pull_is_real_each_time(node: OneNode, tmp_path: Path) -> None:
    """A forgotten image is pulled again whole; one that was not forgotten is not pulled."""
    node.push_prepared("small")
    noise = Layer.of_noise(tmp_path / "noise.tar", BIG_BYTES)
    image = Image.load(node.servers.assets.images / "small").with_layer(noise)
    reference = node.push(image, "localhost:5000/big:1")
    messages = []

    for forgotten in (True, True, False):
        with node.namespace() as namespace:
            run_pod(node, namespace, "pulls", reference)
            events = node.kubectl.get("-n", namespace, "events")["items"]
            messages += [
                event["message"]
                for event in events
                if event["reason"] == "Pulled" and "/big:1" in event["message"]
            ]
            node.kubectl("-n", namespace, "delete", "pod", "pulls")
        if forgotten:
            node.forget_image(reference)
            assert reference not in node.containerd.images()
            messages.append("forgotten")

    seconds = [float(said.split(" in ")[1].rstrip("s")) for said in messages if " in " in said]
    assert 3 == len(seconds), messages
    # 300 MB through a socket, a digest and a disk: a pull of what is there takes 0.02 s.
    assert min(seconds) > 0.5, messages
    pulls = [
        line
        for line in node.containerd_log.read_text().splitlines()
        if f'PullImage \\"{reference}\\" returns' in line
    ]
    assert 3 == len(pulls)


def test_a_viewer_may_look_and_no_more(node: OneNode) -> None:
    """An account with few rights reads pods of its namespace, and nothing else."""
    with node.namespace() as namespace:
        kubeconfig = node.view_kubeconfig(namespace)
        viewer = Client(kubeconfig=kubeconfig, binary=node.kubectl.binary)

        assert [] == viewer.get("pods")["items"]
        assert "Forbidden" in viewer.run("get", "secrets").stderr
        assert "Forbidden" in viewer.run("get", "pods", "-n", "kube-system").stderr


def test_an_api_server_comes_back(node: OneNode) -> None:
    """What was written before a restart is there after it; in between nobody answers."""
    with node.namespace() as namespace:
        node.stop_api_server()
        with pytest.raises(ClusterFailed):
            node.kubectl("get", "namespace", namespace)

        node.start_api_server()

        assert namespace == node.kubectl.get("namespace", namespace)["metadata"]["name"]


@pytest.mark.slow
def test_a_node_joins_late_under_another_name(node: OneNode) -> None:
    """A pod waits without a node, and runs on the one that joins."""
    node.push_prepared("small")
    first = node.name
    node.stop_kubelet(remove=True)
    try:
        with node.namespace() as namespace:
            text = json.dumps(pod("waits", SMALL))
            node.kubectl("-n", namespace, "apply", "-f", "-", input=text)
            waiting = node.kubectl.get("-n", namespace, "pod", "waits")
            assert "nodeName" not in waiting["spec"]

            node.start_kubelet("joined-late", labels={"karpenter.sh/nodepool": "tests"})
            wait = ("wait", "--for=condition=Ready", "pod/waits", "--timeout=60s")
            node.kubectl("-n", namespace, *wait)

            placed = node.kubectl.get("-n", namespace, "pod", "waits")
            assert "joined-late" == placed["spec"]["nodeName"]
    finally:
        node.stop_kubelet(remove=True)
        node.start_kubelet(first)


def test_a_control_plane_alone_forgets_versions(assets: Assets, tmp_path: Path) -> None:
    """With flags for it, a list continued from a compacted version is refused with 410."""
    flags = ("--watch-cache=false", "--etcd-compaction-interval=3s")

    with ControlPlane.up(tmp_path / "plane", assets=assets, api_server_flags=flags) as plane:
        for number in range(3):
            plane.kubectl("create", "configmap", f"map-{number}")
        page = plane.kubectl.raw("/api/v1/namespaces/default/configmaps?limit=1")
        token = page["metadata"]["continue"]
        path = f"/api/v1/namespaces/default/configmaps?limit=1&continue={token}"
        end_s = time.monotonic() + 60
        refused = plane.kubectl.run("get", "--raw", path)
        while not refused.returncode and time.monotonic() < end_s:
            plane.kubectl("create", "configmap", f"map-{time.monotonic_ns()}")
            time.sleep(1)
            refused = plane.kubectl.run("get", "--raw", path)

    assert "too old" in refused.stderr or "Expired" in refused.stderr, refused.stderr


def test_controllers_without_a_node(assets: Assets, tmp_path: Path) -> None:
    """On loopback they turn a Deployment into a pod, and the scheduler finds no node for it."""
    if assets.lacking("kube-controller-manager", "kube-scheduler"):
        pytest.skip("these binaries have no controllers")
    spec = {"containers": [{"name": "main", "image": SMALL}]}

    with (
        ControlPlane.up(tmp_path / "plane", assets=assets, controllers=True) as plane,
        plane.namespace() as namespace,
    ):
        plane.kubectl.apply(deployment("waits", spec, namespace=namespace))
        wait = ("wait", "--for=condition=PodScheduled=False", "pod", "-l", "app=waits")
        end_s = time.monotonic() + 60
        while plane.kubectl.run("-n", namespace, *wait).returncode:
            assert time.monotonic() < end_s
        (pending,) = plane.kubectl.get("-n", namespace, "pods")["items"]

    assert "Unschedulable" == pending["status"]["conditions"][0]["reason"]


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_engine_serves_in_a_pod(node: OneNode) -> None:
    """The real vLLM of `make engine`, run by the image's Python, answers a completion."""
    prepare = CLUSTER.parent / "engine/prepare.py"
    asked = subprocess.run(
        [sys.executable, prepare, "--print-path"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        absent("the real engine is not there: run `make engine`")
    node.push_prepared("engine-base")
    question = (
        "import json, urllib.request as r; print(json.load(r.urlopen(r.Request("
        '\'http://127.0.0.1:8000/v1/completions\', b\'{"model": "tiny", "prompt": "A pod"}\','
        " {'Content-Type': 'application/json'})))['usage']['completion_tokens'])"
    )

    with node.namespace() as namespace:
        spec = engine_pod(Path(asked.stdout.strip()))
        node.kubectl.apply(deployment("model", spec, namespace=namespace))
        rollout = ("-n", namespace, "rollout", "status", "deployment/model", "--timeout=600s")
        node.kubectl(*rollout, timeout_s=610)
        inside = ("-n", namespace, "exec", "deployment/model", "--")
        tokens = node.kubectl(*inside, "/usr/bin/python3.11", "-c", question)

    assert int(tokens) > 0


def traces(short_id: str) -> dict[str, object]:
    """What of one cluster the machine still shows."""
    mark = f"FIRSTLIGHT_ONENODE={short_id}".encode()
    processes = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and mark in (folder / "environ").read_bytes():
                processes.append(folder.name)
        except OSError:
            continue
    return {
        "cgroups": sorted(map(str, Path("/sys/fs/cgroup").glob(f"**/fl-{short_id}"))),
        "links": sorted(p.name for p in Path("/sys/class/net").glob(f"fl{short_id}*")),
        "processes": processes,
        "entries": [entry.id for entry in entries() if entry.id == short_id],
    }


def surroundings() -> dict[str, str]:
    """What a node could change of the machine."""
    settings = ("vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops")
    return {
        "mounts": Path("/proc/self/mounts").read_text(),
        **{name: Path("/proc/sys", name).read_text() for name in settings},
    }


NOTHING: dict[str, object] = {"cgroups": [], "links": [], "processes": [], "entries": []}

OWNER = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from onenode import Assets, OneNode
node = OneNode.up(Path(sys.argv[2]), assets=Assets(bin=Path(sys.argv[3])))
node.push_prepared("small")
node.kubectl("run", "left", "--image=localhost:5000/small:1", "--", "sleep", "1000")
node.kubectl("wait", "--for=condition=Ready", "pod/left", "--timeout=60s")
print(node.entry.id, flush=True)
time.sleep(1000)
"""


def test_nothing_is_left(node: OneNode, tmp_path: Path) -> None:
    """
    Two nodes side by side. The owner of one is killed while a pod runs on it; the
    next start takes that one down whole, and leaves the other alone.
    """
    before = surroundings()
    command = [sys.executable, "-c", OWNER, CLUSTER, tmp_path / "killed", node.servers.assets.bin]
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        short_id = owner.stdout.readline().decode().strip()
        left = traces(short_id)
        os.kill(owner.pid, signal.SIGKILL)
    assert all(left.values()), left

    with ControlPlane.up(tmp_path / "next", assets=node.servers.assets) as following:
        assert NOTHING == traces(short_id)
        beside = following.entry.id

    assert NOTHING == traces(beside)
    assert before == surroundings()
    assert "Ready" in node.kubectl("get", "node", node.name)
