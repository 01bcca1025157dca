"""What a capture relies on, on the real API server."""

from collections.abc import Callable, Iterator

import pytest
from onenode import ControlPlane

from firstlight.edges.kube.api import KubeApi
from tests.capture import contract
from tests.cluster.fake_kubelet import fake_kubelet
from tests.cluster.played_start import NODE, PlayedStart

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def clusters(
    control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[contract.Clusters]:
    """A played start, seen by its maker and by an account without a right; nothing changes it."""
    with (
        fake_kubelet(tmp_path_factory.mktemp("kubelet")) as kubelet,
        control_plane.namespace() as namespace,
    ):
        kubelet.says = lambda _: iter([contract.LOG])
        PlayedStart(control_plane, namespace, kubelet)
        nobody = control_plane.account_kubeconfig("nobody", namespace, rules=())
        try:
            with (
                KubeApi.open(kubeconfig=str(control_plane.kubeconfig), namespace=namespace) as all_,
                KubeApi.open(kubeconfig=str(nobody)) as nothing,
            ):
                yield contract.Clusters(open=all_, shut=nothing)
        finally:
            control_plane.kubectl("delete", "node", NODE)


@pytest.mark.parametrize("behaviour", contract.CONTRACT)
def test_the_real_one_keeps_the_contract(
    clusters: contract.Clusters, behaviour: Callable[[contract.Clusters], None]
) -> None:
    """As the fake does, in the tests of the capture."""
    behaviour(clusters)
