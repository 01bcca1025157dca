"""
A real Kubernetes for tests, whichever this machine offers.

In this order: the cluster that USE_EXISTING_CLUSTER and KUBECONFIG name, the
binaries that KUBEBUILDER_ASSETS names, what `make cluster` built. Under CI the
absence of all three is a failure, elsewhere a skip that says what to run.
"""

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

CLUSTER = Path(__file__).resolve().parents[2] / "cluster"
sys.path.insert(0, str(CLUSTER))

from onenode import (  # noqa: E402 - a folder beside the tests, not an installed package
    Assets,
    Cluster,
    ControlPlane,
    ExistingCluster,
    OneNode,
)

HERE = Path(__file__).parent
ABSENT = "Kubernetes is not there: run `make cluster`"


@cache
def chosen_assets() -> tuple[Assets | None, str]:
    """Give the binaries for a cluster of our own, and where they come from."""
    given = Assets.given()
    if given is not None:
        return given, f"KUBEBUILDER_ASSETS ({given.bin})"
    built = Assets.built()
    return built, f"make cluster ({built.prefix})" if built else f"none: {ABSENT}"


def is_existing() -> bool:
    return os.environ.get("USE_EXISTING_CLUSTER", "").lower() in ("1", "true", "yes")


def pytest_report_collectionfinish(items: list[pytest.Item]) -> list[str]:
    """Say which cluster the tests will meet, when there are such tests."""
    if not any(item.path.is_relative_to(HERE) for item in items):
        return []
    if is_existing():
        return [f"cluster: an existing one ({os.environ.get('KUBECONFIG', '~/.kube/config')})"]
    return [f"cluster: {chosen_assets()[1]}"]


def absent(why: str) -> None:
    """A failure where a machine is made for this, a skip elsewhere."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def assets() -> Assets:
    """Binaries for a cluster of our own; a cluster of somebody else's is never restarted."""
    if is_existing():
        pytest.skip("this needs a cluster of its own, and USE_EXISTING_CLUSTER is set")
    found, _ = chosen_assets()
    if found is None:
        absent(ABSENT)
        raise AssertionError
    return found


@pytest.fixture(scope="session")
def existing_cluster(tmp_path_factory: pytest.TempPathFactory) -> ExistingCluster | None:
    """The cluster that the environment names; None when it names none."""
    return ExistingCluster.given(tmp_path_factory.mktemp("users"), os.environ)


@pytest.fixture(scope="session")
def control_plane(
    assets: Assets, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControlPlane]:
    """etcd and an API server of our own; tests write what a scheduler and a kubelet would."""
    with ControlPlane.up(tmp_path_factory.mktemp("control-plane"), assets=assets) as plane:
        yield plane


@pytest.fixture(scope="session")
def node(assets: Assets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneNode]:
    """A whole cluster of our own with one real node."""
    if os.geteuid() != 0:
        absent("a node needs root")
    found = assets if assets.runs_a_node else Assets.built()
    if found is None:
        absent(f"{assets.bin} holds a control plane and no node: run `make cluster`")
        raise AssertionError
    with OneNode.up(tmp_path_factory.mktemp("node"), assets=found) as up:
        yield up


@pytest.fixture(scope="session")
def cluster(existing_cluster: ExistingCluster | None, request: pytest.FixtureRequest) -> Cluster:
    """A cluster where pods run: somebody else's if the environment names one, else our node."""
    if existing_cluster is not None:
        return existing_cluster
    node: OneNode = request.getfixturevalue("node")
    return node
