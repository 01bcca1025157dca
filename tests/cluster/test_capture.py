"""
`firstlight capture` against a real API server, and against a real kubelet.

On the control plane alone a start is played, so that its secrets, its size and its
mishaps are known; on the node the kubelet and the runtime have the word.
"""

import json
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from onenode import ControlPlane, OneNode

from tests.capture.planted import HF, KEY_LINES, PASSWORD, TEXTS
from tests.cli.console import SCRIPT, firstlight, said
from tests.cluster.fake_kubelet import CutHere, FakeKubelet, Wanted, fake_kubelet
from tests.cluster.played_start import LOG, LOG_SECRET, NODE, PlayedStart

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


@pytest.fixture
def kubelet(tmp_path: Path) -> Iterator[FakeKubelet]:
    """Says LOG for every container until told otherwise."""
    with fake_kubelet(tmp_path) as kubelet:
        kubelet.says = lambda _: iter([LOG])
        yield kubelet


@pytest.fixture
def start(control_plane: ControlPlane, kubelet: FakeKubelet) -> Iterator[tuple[PlayedStart, str]]:
    """A played start and its namespace; its node is gone afterwards."""
    with control_plane.namespace() as namespace:
        yield PlayedStart(control_plane, namespace, kubelet), namespace
        control_plane.kubectl("delete", "node", NODE)


def captured(
    plane: ControlPlane | OneNode, namespace: str, into: Path, *more: str
) -> tuple[dict[str, Any], Path]:
    """bundle.json and the folder; the command must have succeeded."""
    at = ("--kubeconfig", str(plane.kubeconfig), "-n", namespace)
    done = firstlight("capture", "deployment/vllm", *at, "--into", into, *more)
    assert 0 == done.returncode, said(done)
    document: dict[str, Any] = json.loads((into / "bundle.json").read_text())
    return document, into


MEASURES = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""A child begins with the most that its parent ever had: this one's parent is small."""


def most_memory_kb(command: Sequence[str | Path]) -> int:
    """How much memory a command takes at most; it must succeed."""
    measured = [sys.executable, "-c", MEASURES, *map(str, command)]
    done = subprocess.run(measured, capture_output=True, text=True, check=True)
    return int(done.stdout)


def every_byte(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_bundle_holds_everything_but_the_secrets(
    control_plane: ControlPlane, start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """One secret of each kind is planted in the log, more in the spec and in an event."""
    played, namespace = start
    document, folder = captured(control_plane, namespace, tmp_path / "bundle")
    whole = every_byte(folder)

    def items(file: str) -> list[dict[str, Any]]:
        return list(json.loads((folder / file).read_text())["items"])

    assert "firstlight.bundle/1" == document["schema"]
    assert [] == document["not_allowed"]
    assert [played.pod] == [pod["metadata"]["name"] for pod in items("pods.json")]
    assert ["Pod"] == [pod["kind"] for pod in items("pods.json")]
    assert ["Error: 401 for ***"] == [event["message"] for event in items("events.json")]
    assert ["Error: 401 for ***"] == [event["note"] for event in items("events.v1.json")]
    assert [NODE] == [node["metadata"]["name"] for node in items("nodes.json")]
    assert ["vllm-7b9d6c4f8"] == [one["metadata"]["name"] for one in items("replicasets.json")]
    assert "vllm" == json.loads((folder / "deployment.json").read_text())["metadata"]["name"]
    assert {"fetch.log", "server.log", "server.previous.log"} == {
        path.name for path in (folder / "logs" / played.pod).iterdir()
    }

    planted = {secret for _, secrets in TEXTS.values() for secret in secrets}
    left = [s for s in [*planted, HF, PASSWORD, LOG_SECRET, *KEY_LINES] if s.encode() in whole]
    assert [] == left
    log = (folder / "logs" / played.pod / "server.log").read_bytes()
    assert LOG.count(b"\n") == log.count(b"\n")
    assert b"Starting to load model\n" in log
    assert {"environment value", "argument", "last-applied-configuration", "private key"} <= {
        one["kind"] for one in document["removed"]
    }
    assert not any(secret in json.dumps(document["removed"]) for secret in planted)


def test_it_says_what_it_did(
    control_plane: ControlPlane, start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """Where it lies, what was removed, and what to type next; an archive has one folder in it."""
    played, namespace = start
    archive = tmp_path / "slow.tar.gz"

    done = firstlight(
        *("capture", f"pod/{played.pod}", "-n", namespace, "--into", archive),
        *("--kubeconfig", str(control_plane.kubeconfig)),
    )

    text = done.stdout.decode()
    assert 0 == done.returncode, said(done)
    assert f"saved in {archive}: pod {played.pod}, 3 logs" in text
    assert "x environment value" in text
    assert text.endswith(f"next: firstlight explain {archive}\n")
    with tarfile.open(archive) as tar:
        names = tar.getnames()
    assert "slow/bundle.json" in names
    assert f"slow/logs/{played.pod}/server.log" in names
    assert 0o600 == archive.stat().st_mode & 0o777
    assert [archive.name] == [path.name for path in tmp_path.iterdir() if "slow" in path.name]


def test_a_log_that_breaks_off_is_taken_up_where_it_broke(
    control_plane: ControlPlane,
    start: tuple[PlayedStart, str],
    kubelet: FakeKubelet,
    tmp_path: Path,
) -> None:
    """In the middle of a line, three times; no line is missing or there twice."""
    _, namespace = start
    lines = [
        b"2026-11-29T20:00:%02d.%09dZ line %d\n" % (n // 100, n % 100 // 2, n) for n in range(3000)
    ]
    calls = iter([40_000, 80_000, 10, 4096 * 3])

    def says(wanted: Wanted) -> Iterator[bytes]:
        if wanted["container"] != "server" or "previous" in wanted:
            return
        since = wanted.get("sinceTime", "")[:19].encode()
        whole = b"".join(line for line in lines if line[:19] >= since)
        last = next(calls, 10**9)
        for at in range(0, min(last, len(whole)), 4096):
            yield whole[at : min(at + 4096, last)]
        if last < len(whole):
            raise CutHere

    kubelet.says = says

    document, folder = captured(control_plane, namespace, tmp_path / "bundle")

    (log,) = (folder / "logs").rglob("server.log")
    assert b"".join(lines) == log.read_bytes()
    assert [(3000, True)] == [(kept["lines"], kept["complete"]) for kept in document["logs"]]


def test_what_the_node_no_longer_has_is_said(
    control_plane: ControlPlane,
    start: tuple[PlayedStart, str],
    kubelet: FakeKubelet,
    tmp_path: Path,
) -> None:
    """A runtime's sentence is no log; a log that begins late says so; an empty one is none."""
    played, namespace = start

    def says(wanted: Wanted) -> Iterator[bytes]:
        if wanted["container"] == "fetch":
            return
        if "previous" in wanted:
            yield b"unable to retrieve container logs for containerd://0123"
        else:
            later = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 600))
            yield f"{later}.000000001Z late\n".encode()

    kubelet.says = says

    document, _ = captured(control_plane, namespace, tmp_path / "bundle")

    notes = "\n".join(document["notes"])
    assert "no previous log of server" in notes
    assert "the node no longer has it (unable to retrieve container logs" in notes
    assert f"no log of fetch in {played.pod}: it is empty" in notes
    assert "after its container started: what came before was rotated away" in notes
    assert ["server.log"] == [Path(kept["file"]).name for kept in document["logs"]]


def test_a_pod_that_goes_away_in_between_leaves_what_was_read(
    control_plane: ControlPlane,
    start: tuple[PlayedStart, str],
    kubelet: FakeKubelet,
    tmp_path: Path,
) -> None:
    """Deleted while its first log is read: the objects and that log are kept."""
    played, namespace = start

    def says(_: Wanted) -> Iterator[bytes]:
        yield LOG
        control_plane.kubectl(
            *("delete", "pod", played.pod, "-n", namespace, "--force", "--grace-period=0")
        )

    kubelet.says = says

    document, folder = captured(control_plane, namespace, tmp_path / "bundle")

    assert ["fetch"] == [kept["container"] for kept in document["logs"]]
    assert 2 == sum("the pod was gone before it could be read" in n for n in document["notes"])
    assert played.pod in (folder / "pods.json").read_text()


def test_a_node_that_cannot_be_reached_is_said(
    control_plane: ControlPlane, start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """Its kubelet does not listen: no log, and all the rest."""
    _, namespace = start
    node = control_plane.kubectl.get("node", NODE)
    node["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"] = 1
    at = f"/api/v1/nodes/{NODE}/status"
    control_plane.kubectl("replace", "--raw", at, "-f", "-", input=json.dumps(node))

    document, folder = captured(control_plane, namespace, tmp_path / "bundle")

    assert [] == document["logs"]
    assert 3 == sum("connection refused" in note for note in document["notes"])
    assert (folder / "pods.json").exists()


def test_a_log_of_a_hundred_megabytes_is_streamed(
    control_plane: ControlPlane,
    start: tuple[PlayedStart, str],
    kubelet: FakeKubelet,
    tmp_path: Path,
) -> None:
    """Whole and in little memory; `--max-log-mb` keeps the beginning, where the start is."""
    _, namespace = start
    line = b"2026-11-29T20:00:00.%09dZ INFO Avg prompt throughput: 10.0 tokens/s, %s\n"
    block = b"".join(line % (n, b"x" * 40) for n in range(10_000))
    times = 100_000_000 // len(block) + 1

    def says(wanted: Wanted) -> Iterator[bytes]:
        if wanted["container"] == "server" and "previous" not in wanted:
            for _ in range(times):
                yield block

    kubelet.says = says

    whole = tmp_path / "bundle"
    at = ("--kubeconfig", control_plane.kubeconfig, "-n", namespace, "--into", whole)
    most_kb = most_memory_kb([SCRIPT, "capture", "deployment/vllm", *at])
    document = json.loads((whole / "bundle.json").read_text())
    short, _ = captured(control_plane, namespace, tmp_path / "short", "--max-log-mb", "1.5")

    assert [times * 10_000] == [kept["lines"] for kept in document["logs"]]
    assert most_kb < 200_000
    (kept,) = short["logs"]
    assert 1_400_000 < kept["bytes"] <= 1_500_000
    assert not kept["complete"]
    assert any("at the size that was asked for" in note for note in short["notes"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_capture_leaves_nothing(
    control_plane: ControlPlane,
    start: tuple[PlayedStart, str],
    kubelet: FakeKubelet,
    tmp_path: Path,
    number: signal.Signals,
) -> None:
    """While a log is read that goes on and on."""
    _, namespace = start
    ended = False

    def says(_: Wanted) -> Iterator[bytes]:
        while not ended:
            yield LOG
            time.sleep(0.05)

    kubelet.says = says
    folder = tmp_path / "out"
    folder.mkdir()
    with subprocess.Popen(
        [
            *(SCRIPT, "capture", "deployment/vllm", "-n", namespace, "--into", folder / "bundle"),
            *("--kubeconfig", control_plane.kubeconfig),
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as capturing:
        end = time.monotonic() + 30
        while not list(folder.rglob("*.log")) and time.monotonic() < end:
            time.sleep(0.05)
        assert list(folder.rglob("*.log"))
        assert not (folder / "bundle").exists()
        capturing.send_signal(number)
        _, told = capturing.communicate(timeout=30)
    ended = True

    assert 130 == capturing.returncode
    assert b"Traceback" not in told
    assert [] == list(folder.iterdir())


def test_nothing_is_overwritten(
    control_plane: ControlPlane, start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """Not even an empty folder."""
    _, namespace = start
    (tmp_path / "there").mkdir()

    done = firstlight(
        *("capture", "deployment/vllm", "-n", namespace, "--into", tmp_path / "there"),
        *("--kubeconfig", str(control_plane.kubeconfig)),
    )

    assert 2 == done.returncode
    assert "nothing is overwritten" in said(done)
    assert [] == list((tmp_path / "there").iterdir())


def test_a_real_kubelet_has_the_word(node: OneNode, tmp_path: Path) -> None:
    """An init container, a crash, a second run: three logs; and the built-in role `view`."""
    image = node.push_prepared("small")
    script = "echo token=$HF_TOKEN; test -e /d/x || { touch /d/x; exit 3; }; sleep 1000"
    spec = {
        "terminationGracePeriodSeconds": 0,
        "volumes": [{"name": "d", "emptyDir": {}}],
        "initContainers": [{"name": "fetch", "image": image, "command": ["echo", "fetched"]}],
        "containers": [
            {
                "name": "server",
                "image": image,
                "command": ["sh", "-c", script],
                "env": [{"name": "HF_TOKEN", "value": HF}],
                "volumeMounts": [{"name": "d", "mountPath": "/d"}],
            }
        ],
    }
    with node.namespace() as namespace:
        node.kubectl.apply(
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "vllm", "namespace": namespace},
                "spec": {
                    "selector": {"matchLabels": {"app": "vllm"}},
                    "template": {"metadata": {"labels": {"app": "vllm"}}, "spec": spec},
                },
            }
        )
        node.kubectl(
            *("wait", "-n", namespace, "deployment/vllm", "--for=condition=Available"),
            "--timeout=60s",
        )
        document, folder = captured(node, namespace, tmp_path / "bundle")
        viewer = node.account_kubeconfig("viewer", namespace, rules=[])
        node.kubectl(
            *("create", "rolebinding", "viewer", "-n", namespace, "--clusterrole=view"),
            f"--serviceaccount={namespace}:viewer",
        )
        seen = firstlight(
            *("capture", "deployment/vllm", "--kubeconfig", viewer, "--output", "json"),
            *("--into", tmp_path / "seen"),
        )

    assert 0 == seen.returncode, said(seen)
    assert {"events.events.k8s.io", "nodes", "nodeclaims.karpenter.sh", "events"} == {
        one["resource"] for one in json.loads(seen.stdout)["not_allowed"]
    }
    texts = {
        path.name: [line.split(b" ", 1)[1] for line in path.read_bytes().splitlines()]
        for path in (folder / "logs").rglob("*.log")
    }
    assert {
        "fetch.log": [b"fetched"],
        "server.log": [b"token=***"],
        "server.previous.log": [b"token=***"],
    } == texts
    assert [] == document["notes"]
    assert {"Pulled", "Started", "Scheduled"} <= {
        event["reason"] for event in json.loads((folder / "events.json").read_text())["items"]
    }
    assert HF.encode() not in every_byte(folder)
