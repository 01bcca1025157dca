"""Which container is the engine's; whoever explains a start or changes a manifest says the same."""

import json
from typing import Any

import pytest

from firstlight.manifests.pod_templates import engine_containers, likelihood
from firstlight.measure.pod.engine_container import engine_container
from firstlight.readers.engine_likelihood import Likelihood
from firstlight.readers.kube.engine_container import engine_container as explained
from firstlight.readers.kube.reading import read_cluster
from tests.measure.pod.fake_cluster import pod

GPU = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}


def container(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "image": "busybox", **more}


PODS = [
    ([container("main")], "main"),
    ([container("proxy"), container("vllm")], "vllm"),
    ([container("proxy"), container("a", image="x/vllm-openai:1")], "a"),
    ([container("proxy"), container("a", args=["-m", "VLLM.entrypoints"])], "a"),
    ([container("proxy"), container("a", command=["vllm", "serve"])], "a"),
    ([container("vllm-router"), container("vllm")], "vllm-router"),
    ([container("vllm-router"), container("b", command=["vllm", "serve", "m"])], "b"),
    (
        [
            container("vllm-router"),
            container("b", command=["sh", "-c"], args=["exec vllm serve m"]),
        ],
        "b",
    ),
    ([container("vllm-router"), container("vllm", **GPU)], "vllm"),
    (
        [container("vllm-exporter"), container("b", image="vllm/vllm-openai", args=["--port=1"])],
        "b",
    ),
    ([container("proxy", **GPU), container("vllm")], "vllm"),
    ([container("proxy"), container("a", **GPU), container("b", **GPU)], "a"),
    ([container("a"), container("b", resources={"limits": {"amd.com/gpu": 8}})], "b"),
    ([container("a"), container("b", resources={"limits": {"nvidia.com/mig-1g.10gb": 1}})], "b"),
    ([container("a"), container("b", resources={"limits": {"nvidia.com/gpu": "0"}})], "a"),
    ([container("a"), container("b", resources={"requests": {"nvidia.com/gpu": "1"}})], "b"),
    ([container("a"), container("b", resources=None)], "a"),
    ([container("a"), container("b", readinessProbe={"httpGet": {"port": 1}})], "a"),
    ([container("a"), container("b")], "a"),
]


@pytest.mark.parametrize(("containers", "expected"), PODS)
def test_one_rule_for_all(containers: list[dict[str, Any]], expected: str) -> None:
    """
    By starting the engine, by vLLM in its words and GPUs, by vLLM, by GPUs, then the first; what
    runs before is no engine. Whoever changes a manifest guesses less: of weak signs it takes
    none for the engine by itself, and never another one.
    """
    one = pod(1, containers=containers)
    one["spec"]["initContainers"] = [container("vllm-cache", restartPolicy="Always", **GPU)]

    (read,) = read_cluster("pods.json", json.dumps(one).encode()).pods
    told = explained(read)

    may_be = [containers[at]["name"] for at in engine_containers(one["spec"])]
    surely = max(likelihood(c) for c in containers) >= Likelihood.LIKELY
    assert told is not None
    assert [expected] * 2 == [engine_container(one), told.name]
    assert may_be[:1] == [expected] if surely else not may_be or expected in may_be


def test_a_pod_without_containers_has_none() -> None:
    """A fragment."""
    assert None is engine_container({"kind": "Pod"})
