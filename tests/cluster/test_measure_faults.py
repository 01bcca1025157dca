"""
A cold measurement that is told to end, or killed, at every one of its steps.

The steps are not chosen: a first run writes down every request it makes, and each of them
is a place to stop, before it is sent and, where it changes something, after it was answered.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from onenode import ControlPlane

from firstlight.edges.kube.api import KubeApi

from .played import Played
from .serving import SCRIPT

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

ANNOTATION = "firstlight.dev/cordoned"
STOPPING = Path(__file__).with_name("stopping.py")
OURS = ("a", "b")
"""The nodes that are open before, so that a cold start closes them."""


@pytest.fixture
def api(control_plane: ControlPlane) -> Iterator[KubeApi]:
    with KubeApi.open(kubeconfig=str(control_plane.kubeconfig)) as api:
        yield api


class Stopped:
    """One measurement in a process of its own, that stops at one step."""

    def __init__(
        self, control_plane: ControlPlane, namespace: str, folder: Path, stop_at: str, *more: str
    ) -> None:
        folder.mkdir()
        self.folder = folder
        self.process = subprocess.Popen(
            [
                *(sys.executable, str(STOPPING), "measure", "deployment/vllm"),
                *("--scenario", "cold", "--yes", "--timeout", "60", "-n", namespace),
                *("--kubeconfig", str(control_plane.kubeconfig), "--into", str(folder), *more),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "STOP_FOLDER": str(folder), "STOP_AT": stop_at},
        )

    @property
    def steps(self) -> list[str]:
        return (self.folder / "steps").read_text().splitlines()

    def until_stopped(self) -> None:
        """Wait until it stands at its step."""
        until((self.folder / "stopped").exists, self.process)

    def go_on(self) -> None:
        (self.folder / "go").touch()

    def ended(self) -> tuple[int, str]:
        """The exit code, and what it said."""
        _, err = self.process.communicate(timeout=90)
        assert "Traceback" not in err.decode(), err.decode()
        return self.process.returncode, err.decode()

    @property
    def record(self) -> dict[str, Any]:
        (written,) = self.folder.glob("*/round-01/measured.json")
        text = written.read_text()
        record: dict[str, Any] = json.loads(text)
        return record


def until(true: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 60
    while not true():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def restored(control_plane: ControlPlane) -> tuple[int, dict[str, Any]]:
    """`measure --restore`, as people type it."""
    done = subprocess.run(
        [
            *(str(SCRIPT), "measure", "--restore", "--output", "json"),
            *("--kubeconfig", str(control_plane.kubeconfig)),
        ],
        capture_output=True,
        check=False,
        timeout=60,
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, document


def all_steps(control_plane: ControlPlane, api: KubeApi, folder: Path) -> list[str]:
    """Every place to stop at, from a run that nobody stops."""
    with control_plane.namespace("faults") as namespace, Played(api, namespace) as played:
        before = played.nodes()
        run = Stopped(control_plane, namespace, folder, "")
        code, said = run.ended()
        assert 0 == code, said
        assert before == played.nodes()
        assert list(OURS) == run.record["cordoned"]
        changes = ("patch ", "delete ")
        return [
            step.replace(namespace, "NAMESPACE")
            for step in run.steps
            if step.startswith("before ") or step.removeprefix("after ").startswith(changes)
        ]


@pytest.mark.slow
def test_told_to_end_at_any_step(control_plane: ControlPlane, api: KubeApi, tmp_path: Path) -> None:
    """
    Ctrl-C or SIGTERM: every node is as it was, a node that somebody else cordoned too; the
    exit code says interrupted, and what was seen is written down.
    """
    steps = all_steps(control_plane, api, tmp_path / "all")
    assert {"patch", "delete", "watch"} <= {step.split()[1] for step in steps}

    for number, step in enumerate(steps):
        told = (signal.SIGINT, signal.SIGTERM)[number % 2]
        with control_plane.namespace("faults") as namespace, Played(api, namespace) as played:
            before = played.nodes()
            at = step.replace("NAMESPACE", namespace)
            run = Stopped(control_plane, namespace, tmp_path / str(number), at)
            run.until_stopped()
            run.process.send_signal(told)
            # Whoever is impatient asks twice.
            run.process.send_signal(told)
            time.sleep(0.02)
            run.go_on()
            code, said = run.ended()

            assert before == played.nodes(), (step, said)
            assert 130 == code, (step, said)
            if any(run.folder.glob("*/round-01")):
                assert "interrupted" in run.record["problem"]["message"], step


@pytest.mark.slow
def test_killed_at_any_step(control_plane: ControlPlane, api: KubeApi, tmp_path: Path) -> None:
    """SIGKILL: `measure --restore` makes every node as it was, says which, and does no more."""
    steps = all_steps(control_plane, api, tmp_path / "all")
    mended = 0

    for number, step in enumerate(steps):
        with control_plane.namespace("faults") as namespace, Played(api, namespace) as played:
            before = played.nodes()
            at = step.replace("NAMESPACE", namespace)
            run = Stopped(control_plane, namespace, tmp_path / str(number), at)
            run.until_stopped()
            run.process.kill()
            run.process.communicate()
            left = [name for name, (_, said) in played.nodes().items() if ANNOTATION in said]
            code, document = restored(control_plane)

            assert 0 == code, step
            assert left == [one["node"] for one in document["mended"]], step
            assert before == played.nodes(), step
            mended += len(left)
    # Both nodes are closed for several of the steps.
    assert mended > 4
    assert (0, []) == (restored(control_plane)[0], restored(control_plane)[1]["mended"])


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGHUP])
def test_told_to_end_while_the_pod_is_pending(
    control_plane: ControlPlane, api: KubeApi, tmp_path: Path, told: signal.Signals
) -> None:
    """The longest wait of all is in no request."""
    with (
        control_plane.namespace("faults") as namespace,
        Played(api, namespace, lands_on=None) as played,
    ):
        before = played.nodes()
        run = Stopped(control_plane, namespace, tmp_path / "run", "")
        assert run.process.stderr is not None
        for line in run.process.stderr:
            if b"waits for a node" in line:
                break
        assert before != played.nodes()
        run.process.send_signal(told)
        code, said = run.ended()

        assert 130 == code, said
        assert before == played.nodes()


def test_a_pod_that_never_serves_leaves_no_node_closed(
    control_plane: ControlPlane, api: KubeApi, tmp_path: Path
) -> None:
    """Bound, the nodes are open again, long before the time is up; then it is a failed start."""
    with control_plane.namespace("faults") as namespace, Played(api, namespace) as played:
        before = played.nodes()
        played.becomes_ready = False
        run = Stopped(control_plane, namespace, tmp_path / "run", "", "--timeout", "4")
        assert run.process.stderr is not None
        for line in run.process.stderr:
            if b"starts on new" in line:
                break
        until(lambda: before == played.nodes(), run.process)
        code, said = run.ended()

        assert 3 == code, said
        assert "was not Ready within" in said
        assert ("timeout", "cold") == (run.record["outcome"], run.record["scenario"])


def test_a_start_on_a_node_of_before_is_not_cold(
    control_plane: ControlPlane, api: KubeApi, tmp_path: Path
) -> None:
    """Somebody opened a node meanwhile, or it was thought too small: the answer is no."""
    with (
        control_plane.namespace("faults") as namespace,
        Played(api, namespace, lands_on="b") as played,
    ):
        before = played.nodes()
        run = Stopped(control_plane, namespace, tmp_path / "run", "")
        code, said = run.ended()

        assert 1 == code, said
        assert None is run.record["scenario"]
        assert ["not cold: it went to b, which was there before"] == run.record["notes"]
        assert before == played.nodes()


def test_one_who_may_not_is_told_before_anything_is_changed(
    control_plane: ControlPlane, api: KubeApi, tmp_path: Path
) -> None:
    """A node is not cordoned for a deletion that would be refused."""
    look = ["get", "list", "watch"]
    rules = [
        {"apiGroups": [""], "resources": ["pods"], "verbs": look},
        {"apiGroups": ["apps"], "resources": ["deployments", "replicasets"], "verbs": look},
    ]
    nodes = [{"apiGroups": [""], "resources": ["nodes"], "verbs": [*look, "patch"]}]
    with control_plane.namespace("faults") as namespace, Played(api, namespace) as played:
        before = played.nodes()
        kubeconfig = control_plane.account_kubeconfig(
            "looks", namespace, rules=rules, cluster_rules=nodes
        )
        done = subprocess.run(
            [
                *(str(SCRIPT), "measure", "deployment/vllm", "--scenario", "cold", "--yes"),
                *("--kubeconfig", str(kubeconfig), "--into", str(tmp_path)),
            ],
            capture_output=True,
            check=False,
            timeout=60,
        )

        assert 3 == done.returncode
        assert b"you may not delete pods in namespace" in done.stderr
        assert b"roles in docs/rbac" in done.stderr
        assert before == played.nodes()
        assert not list(tmp_path.iterdir())


def test_the_api_server_restarts_in_the_middle(
    control_plane: ControlPlane, api: KubeApi, tmp_path: Path
) -> None:
    """Killed and started again while the pod is pending: no change is missed, nothing stays."""
    with (
        control_plane.namespace("faults") as namespace,
        Played(api, namespace, lands_on=None) as played,
    ):
        before = played.nodes()
        run = Stopped(control_plane, namespace, tmp_path / "run", "")
        assert run.process.stderr is not None
        for line in run.process.stderr:
            if b"waits for a node" in line:
                break
        control_plane.restart_api_server(kill=True)
        played.put_node("new")
        played.bind("vllm-2", "new")
        played.make_ready("vllm-2")
        code, said = run.ended()
        record = run.record

        assert 0 == code, said
        assert "cold" == record["scenario"]
        assert record["watch"]["reconnected"] + record["watch"]["relisted"] > 0
        assert before == played.nodes()
