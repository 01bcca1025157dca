"""The cluster of values does what a real one does."""

from collections.abc import Callable

import pytest

from tests.capture import contract
from tests.capture.fake_cluster import FakeCluster, Lines, No

LABELS = {"app": "vllm"}
CONTAINERS = {"containers": [{"name": "server"}], "initContainers": [{"name": "fetch"}]}
OBJECTS = [
    {"kind": "Node", "metadata": {"name": contract.NODE}},
    *(
        {
            "kind": "Pod",
            "metadata": {"name": name, "uid": name, "namespace": "demo", "labels": LABELS},
            "spec": CONTAINERS,
        }
        for name in (contract.POD, "stranger")
    ),
]
ASKED = (("list", "pods"), ("get", "pods"), ("get", "nodes"), ("get", "pods/log"))


@pytest.mark.parametrize("behaviour", contract.CONTRACT)
def test_the_fake_one_keeps_the_contract(behaviour: Callable[[contract.Clusters], None]) -> None:
    """As the real one does, in the tests of the cluster."""
    lines = contract.LOG.splitlines(keepends=True)
    behaviour(
        contract.Clusters(
            open=FakeCluster(objects=OBJECTS, logs={f"{contract.POD}/server": Lines(lines=lines)}),
            shut=FakeCluster(objects=OBJECTS, refused={what: No(status=403) for what in ASKED}),
        )
    )
