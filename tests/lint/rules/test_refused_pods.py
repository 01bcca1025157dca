"""Pods that an API server refuses, while it takes what makes them."""

from typing import Any

import pytest

from firstlight.lint.rules import gpu_requests_differ, host_path_refused
from tests.lint.rules.around import GPU, deployment, engine, said_by

DIFFER = gpu_requests_differ.RULE
REFUSED = host_path_refused.RULE


@pytest.mark.parametrize(
    "resources",
    [
        {"requests": {GPU: 1}, "limits": {GPU: 2}},
        {"requests": {GPU: 1}},
        {"requests": {GPU: "1"}, "limits": {"cpu": 4}},
        {"requests": {"vpc.amazonaws.com/efa": 1}, "limits": {GPU: 1}},
    ],
)
def test_devices_that_are_overcommitted(resources: dict[str, Any]) -> None:
    """Every resource with a vendor's name is a device."""
    assert 1 == len(said_by(DIFFER, deployment(engine(resources=resources))))


@pytest.mark.parametrize(
    "resources",
    [
        {"limits": {GPU: 2}},
        {"requests": {GPU: 2}, "limits": {GPU: "2"}},
        {"requests": {"cpu": 4, "memory": "8Gi"}, "limits": {GPU: 1, "memory": "16Gi"}},
        {"requests": {GPU: "${GPUS}"}, "limits": {GPU: 1}},
        {"requests": {"hugepages-2Mi": "1Gi"}, "limits": {GPU: 1}},
    ],
)
def test_devices_that_are_not(resources: dict[str, Any]) -> None:
    """Memory and CPU may differ; a limit alone is enough."""
    assert [] == said_by(DIFFER, deployment(engine(resources=resources)))


def namespace(level: str | None, mode: str = "enforce") -> dict[str, Any]:
    labels = {f"pod-security.kubernetes.io/{mode}": level} if level else {}
    meta = {"name": "serving", "labels": labels}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}


ON_NODE = {"volumes": [{"name": "cache", "hostPath": {"path": "/var/cache/vllm"}}]}


@pytest.mark.parametrize("level", ["baseline", "restricted"])
def test_a_directory_of_the_node(level: str) -> None:
    """Both levels forbid it."""
    said = said_by(REFUSED, namespace(level), deployment(pod=ON_NODE))

    assert 1 == len(said)
    assert f"enforces Pod Security {level}" in said[0]


@pytest.mark.parametrize(
    "objects",
    [
        (namespace("privileged"), deployment(pod=ON_NODE)),
        (namespace("baseline", "warn"), deployment(pod=ON_NODE)),
        (namespace(None), deployment(pod=ON_NODE)),
        (namespace("baseline"), deployment(pod={"volumes": [{"name": "x", "emptyDir": {}}]})),
        (namespace("baseline"), deployment(pod=ON_NODE, namespace="other")),
        (namespace("baseline"), deployment(pod=ON_NODE, namespace=None)),
        (deployment(pod=ON_NODE),),
    ],
)
def test_a_namespace_that_allows_it_or_is_not_known(objects: tuple[dict[str, Any], ...]) -> None:
    """Where an object goes that does not say it, whoever applies it decides."""
    assert [] == said_by(REFUSED, *objects)
