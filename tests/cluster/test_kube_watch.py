"""
Watches on the real API server, while everything that ends a watch happens.

What a watch must have told is known from outside: each change of a pod makes a version,
and the versions that the writes were answered with are the truth.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from onenode import Assets, ControlPlane

from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.watch import Change, Watching
from tests.cluster.relay import relayed

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


class Told:
    """What a watch tells, gathered in a thread of its own."""

    def __init__(self, watching: Watching | Refused) -> None:
        assert not isinstance(watching, Refused), watching
        self.watching = watching
        self.changes: list[Change] = []
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            for change in self.watching:
                self.changes.append(change)
        except BaseException as e:  # noqa: BLE001 - told to the test
            self._failure = e

    def until(self, version: str, *, timeout_s: float = 60) -> None:
        """Wait until a version has been told."""
        end = time.monotonic() + timeout_s
        while version not in self.versions() and time.monotonic() < end:
            assert self._failure is None, self._failure
            time.sleep(0.02)
        assert version in self.versions()

    def stop(self) -> list[Change]:
        self.watching.stop()
        self._thread.join(10)
        assert not self._thread.is_alive()
        assert self._failure is None, self._failure
        return self.changes

    def versions(self) -> list[str]:
        return [c.object["metadata"]["resourceVersion"] for c in list(self.changes)]


class Pods:
    """Writes pods, and remembers the version that each write made."""

    def __init__(self, api: KubeApi, namespace: str) -> None:
        self.api = api
        self.path = api.path("pods", namespace=namespace)
        self.written: list[str] = []

    def create(self, name: str) -> None:
        self._note(
            self.api.create(
                self.path,
                {
                    "metadata": {"name": name, "labels": {"n": "made"}},
                    "spec": {"containers": [{"name": "c", "image": "i"}]},
                },
            )
        )

    def change(self, name: str, to: str) -> None:
        self._note(self.api.patch(f"{self.path}/{name}", {"metadata": {"labels": {"n": to}}}))

    def delete(self, name: str) -> None:
        answer = self.api.delete(f"{self.path}/{name}")
        assert not isinstance(answer, Refused), answer

    def _note(self, answer: dict[str, Any] | Refused) -> None:
        assert not isinstance(answer, Refused), answer
        self.written.append(answer["metadata"]["resourceVersion"])


@contextmanager
def pods_of(kubeconfig: Path, namespace: str) -> Iterator[Pods]:
    with KubeApi.open(kubeconfig=str(kubeconfig)) as api:
        yield Pods(api, namespace)


def assert_exact(changes: list[Change], written: list[str]) -> None:
    """Every version that was written, once, in order; nothing told twice."""
    versions = [c.object["metadata"]["resourceVersion"] for c in changes if c.type != "DELETED"]

    assert written == [version for version in versions if version in written]
    assert len(versions) == len(set(versions))


def test_each_change_is_told_once(control_plane: ControlPlane) -> None:
    """What is there comes first; arrivals are monotonic; it ends when told to.

    A deletion is two changes: the API server marks the pod, then it is gone.
    """
    with control_plane.namespace() as ns, pods_of(control_plane.kubeconfig, ns) as pods:
        pods.create("before")
        told = Told(pods.api.watch(pods.path))
        pods.create("a")
        pods.change("a", "1")
        pods.delete("a")
        pods.create("b")
        told.until(pods.written[-1])
        changes = told.stop()

    assert [
        ("ADDED", "before", True),
        ("ADDED", "a", False),
        ("MODIFIED", "a", False),
        ("MODIFIED", "a", False),
        ("DELETED", "a", False),
        ("ADDED", "b", False),
    ] == [(c.type, c.object["metadata"]["name"], c.listed) for c in changes]
    assert sorted(c.arrived_ns for c in changes) == [c.arrived_ns for c in changes]


def test_cut_connections_lose_and_double_nothing(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    """Thirty writes, a cut after every third, by reset and by a clean end."""
    with (
        control_plane.namespace() as ns,
        pods_of(control_plane.kubeconfig, ns) as pods,
        relayed(control_plane.kubeconfig, tmp_path) as (relay, through),
        KubeApi.open(kubeconfig=str(through)) as api,
    ):
        told = Told(api.watch(pods.path))
        pods.create("a")
        for number in range(30):
            pods.change("a", str(number))
            if number % 3 == 0:
                told.until(pods.written[-1])
                relay.cut(reset=number % 2 == 0)
        told.until(pods.written[-1])
        changes = told.stop()

    assert_exact(changes, pods.written)
    assert relay.cuts >= 8
    assert told.watching.reconnected >= 5
    assert 0 == told.watching.relisted


def test_it_ends_when_told_while_the_server_is_gone(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    """Waiting for it to come back is no reason to keep somebody waiting."""
    with (
        control_plane.namespace() as ns,
        relayed(control_plane.kubeconfig, tmp_path) as (relay, through),
        pods_of(through, ns) as pods,
    ):
        told = Told(pods.api.watch(pods.path))
        relay.refuses = True
        relay.cut()
        time.sleep(2)
        began = time.monotonic()
        told.stop()

    assert time.monotonic() - began < 2


@pytest.mark.parametrize("kill", [False, True])
def test_a_restarted_server_is_taken_up_again(control_plane: ControlPlane, *, kill: bool) -> None:
    """Orderly or crashed; what was written after it came back is told, once."""
    with control_plane.namespace() as ns, pods_of(control_plane.kubeconfig, ns) as pods:
        told = Told(pods.api.watch(pods.path))
        pods.create("a")
        told.until(pods.written[-1])
        control_plane.restart_api_server(kill=kill)
        pods.change("a", "1")
        pods.create("b")
        told.until(pods.written[-1])
        changes = told.stop()

    assert_exact(changes, pods.written)


def test_a_version_that_is_gone_is_made_up_for(assets: Assets, tmp_path: Path) -> None:
    """410: listed again, and the difference told: changed, deleted, made anew, made."""
    flags = ["--watch-cache=false", "--etcd-compaction-interval=2s"]
    with (
        ControlPlane.up(tmp_path / "plane", assets=assets, api_server_flags=flags) as plane,
        plane.namespace() as ns,
        pods_of(plane.kubeconfig, ns) as pods,
        relayed(plane.kubeconfig, tmp_path) as (relay, through),
        KubeApi.open(kubeconfig=str(through)) as api,
    ):
        for name in ("stays", "changes", "goes", "again"):
            pods.create(name)
        told = Told(api.watch(pods.path))
        told.until(pods.written[-1])
        relay.refuses = True
        relay.cut()
        pods.change("changes", "1")
        pods.delete("goes")
        pods.delete("again")
        pods.create("again")
        pods.create("new")
        # The past is compacted away while nothing comes through.
        time.sleep(7)
        relay.refuses = False
        told.until(pods.written[-1])
        pods.change("new", "2")
        told.until(pods.written[-1])
        changes = told.stop()

    assert told.watching.relisted >= 1
    later = [(c.type, c.object["metadata"]["name"]) for c in changes[4:]]
    assert {("DELETED", "goes"), ("DELETED", "again")} == set(later[:2])
    assert {("MODIFIED", "changes"), ("ADDED", "again"), ("ADDED", "new")} == set(later[2:5])
    assert [("MODIFIED", "new")] == later[5:]


def test_two_hundred_other_pods_do_not_hide_one(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    """They churn while connections are cut; the one that is watched for is told exactly."""
    with (
        control_plane.namespace() as ns,
        pods_of(control_plane.kubeconfig, ns) as pods,
        pods_of(control_plane.kubeconfig, ns) as others,
        relayed(control_plane.kubeconfig, tmp_path) as (relay, through),
        KubeApi.open(kubeconfig=str(through)) as api,
    ):
        told = Told(api.watch(pods.path))
        churning = threading.Thread(target=_churn, args=(others, 200))
        churning.start()
        pods.create("mine")
        number = 0
        while churning.is_alive():
            pods.change("mine", str(number := number + 1))
            if number % 20 == 0:
                relay.cut()
        churning.join()
        pods.change("mine", "last")
        told.until(pods.written[-1])
        changes = told.stop()

    mine = [c for c in changes if c.object["metadata"]["name"] == "mine"]
    assert_exact(mine, pods.written)
    assert_exact(changes, others.written)
    assert 200 == sum(c.type == "DELETED" for c in changes)


def _churn(pods: Pods, number: int) -> None:
    for n in range(number):
        pods.create(f"other-{n}")
        if n >= 20:
            pods.delete(f"other-{n - 20}")
    for n in range(number - 20, number):
        pods.delete(f"other-{n}")
