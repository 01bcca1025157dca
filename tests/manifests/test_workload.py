"""Which workload of a set runs the engine, and in which of its containers."""

from dataclasses import replace
from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.objects import Identity, ObjectSet
from firstlight.manifests.workload import find_workload
from tests.manifests.shapes import deployment, objects

POD = {"containers": [{"name": "e", "image": "vllm/vllm-openai:1", "args": ["m"]}]}
GPU = {"limits": {"nvidia.com/gpu": 1}}


VERSIONS = {
    "Pod": "v1",
    "CronJob": "batch/v1",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
    "InferenceService": "serving.kserve.io/v1beta1",
}
"""Where kinds are that hold a pod at a place of their own."""


def of(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    version = VERSIONS.get(kind, "x/v1")
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "it"}, "spec": spec}


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        *(
            (of(kind, {"template": {"spec": POD}}), "/spec/template/spec")
            for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job")
        ),
        (of("Rollout", {"template": {"spec": POD}}), "/spec/template/spec"),
        (of("NobodyKnows", {"template": {"spec": POD}}), "/spec/template/spec"),
        (of("Pod", POD), "/spec"),
        (
            of("CronJob", {"jobTemplate": {"spec": {"template": {"spec": POD}}}}),
            "/spec/jobTemplate/spec/template/spec",
        ),
        (
            of("LeaderWorkerSet", {"leaderWorkerTemplate": {"workerTemplate": {"spec": POD}}}),
            "/spec/leaderWorkerTemplate/workerTemplate/spec",
        ),
    ],
)
def test_every_kind_that_makes_pods(value: dict[str, Any], pointer: str) -> None:
    """Also one that nobody has heard of, if it looks alike."""
    found = find_workload(objects({"kind": "Service", "metadata": {"name": "s"}}, value))

    assert (pointer, "e") == (found.pod_pointer, found.container["name"])


@pytest.mark.parametrize(
    ("containers", "name"),
    [
        ([{"name": "a", "image": "x", "resources": GPU}], "a"),
        ([{"name": "vllm-custom", "image": "x"}, {"name": "b", "image": "y"}], "vllm-custom"),
        ([{"name": "a", "image": "x"}, {"name": "b", "image": "y", "resources": GPU}], "b"),
        ([{"name": "vllm-logs", "image": "x"}, {"name": "b", "command": ["vllm", "serve"]}], "b"),
        (
            [
                {"name": "a", "image": "vllm-exporter", "args": ["--x"]},
                {"name": "vllm", "image": "c", "command": ["/start.sh"], "resources": GPU},
            ],
            "vllm",
        ),
        ([{"name": "a", "command": ["sh", "-c", "vllm serve m"]}, {"name": "vllm"}], "a"),
    ],
)
def test_the_engine_is_the_container_that_most_speaks_for(
    containers: list[dict[str, Any]], name: str
) -> None:
    """Starting it, then its name with GPUs, then its name or GPUs alone."""
    value = deployment({})
    value["spec"]["template"]["spec"]["containers"] = containers
    target = Identity(kind="deployment", name="llm")

    assert name == find_workload(objects(value), target).container["name"]


def test_two_engines_are_asked_about() -> None:
    """With the words that choose one."""
    two = [deployment({"args": ["m"]}), deployment({"args": ["m"]})]
    two[1]["metadata"] = {"name": "other"}

    with pytest.raises(BadInput, match="deployment/llm, deployment/other") as refusal:
        find_workload(objects(*two))

    assert "--target deployment/llm" in refusal.value.remedy


def in_namespace(name: str) -> dict[str, Any]:
    value = deployment({"args": ["m"]})
    value["metadata"] = {"name": "vllm", "namespace": name}
    return value


def test_two_of_one_name_are_told_apart_by_their_namespaces() -> None:
    """And the words that are proposed do choose one: they lead to no second question."""
    two = objects(in_namespace("a"), in_namespace("b"))
    target = Identity(kind="deployment", name="vllm")

    for asked in (None, target):
        with pytest.raises(BadInput) as refusal:
            find_workload(two, asked)
        assert refusal.value.remedy == "say which one: --target deployment/vllm -n a"
    for name in ("a", "b"):
        chosen = find_workload(two, replace(target, namespace=name))
        assert name == chosen.namespace


def test_what_says_no_namespace_cannot_be_proposed_by_one() -> None:
    """The other one is."""
    bare = in_namespace("a")
    del bare["metadata"]["namespace"]

    with pytest.raises(BadInput) as refusal:
        find_workload(objects(bare, in_namespace("b")))

    assert refusal.value.remedy == "say which one: --target deployment/vllm -n b"


def test_a_namespace_that_no_object_has_is_named() -> None:
    """With the workloads that there are."""
    target = Identity(kind="deployment", name="vllm", namespace="c")

    with pytest.raises(BadInput, match="no deployment/vllm in namespace c") as refusal:
        find_workload(objects(in_namespace("a"), in_namespace("b")), target)

    assert "deployment/vllm -n a, deployment/vllm -n b" in refusal.value.remedy


def test_no_engine_is_told_with_what_there_is() -> None:
    """Somebody gave the wrong folder."""
    with pytest.raises(BadInput, match="the objects are of kind ConfigMap, Service"):
        find_workload(objects({"kind": "Service"}, {"kind": "ConfigMap"}))


@pytest.mark.parametrize("spec", [{"model": {"storageUri": "s3://b/m"}}, POD])
def test_what_kserve_makes_pods_of_is_refused_with_the_reason(spec: dict[str, Any]) -> None:
    """Its controller writes the container."""
    with pytest.raises(BadInput, match="KServe"):
        find_workload(objects(of("InferenceService", {"predictor": spec})))


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (Identity(kind="deployment", name="x"), "there is no deployment/x"),
        (Identity(kind="Service", name="s"), "has no containers"),
    ],
)
def test_a_target_that_is_none_is_refused(target: Identity, why: str) -> None:
    """By its name, as it was given."""
    service = {"kind": "Service", "metadata": {"name": "s"}}

    with pytest.raises(BadInput, match=why):
        find_workload(objects(deployment({}), service), target)


def test_two_engines_in_one_pod_cannot_be_told_apart() -> None:
    """Their arguments differ, and a technique is meant for one."""
    value = deployment({"args": ["a"]})
    value["spec"]["template"]["spec"]["containers"].append(
        {"name": "two", "image": "vllm/vllm-openai:1", "args": ["b"]}
    )

    with pytest.raises(BadInput, match="cannot be told: vllm, two"):
        find_workload(objects(value))


ENGINE = {"name": "vllm", "image": "vllm/vllm-openai:v1", "command": ["vllm", "serve", "m"]}
BENCH = {"name": "bench", "image": "vllm/vllm-openai:v1", "command": ["vllm", "bench", "serve"]}
IN_SCRIPT = {"command": ["sh", "-c", "sleep 9; vllm bench serve --model m"]}
ROUTER = {"name": "router", "image": "ghcr.io/lmcache/vllm-router:1", "args": ["--port", "80"]}
TRAINER = {"name": "app", "image": "torch-train", "command": ["python", "train.py"]}
SGLANG = {"name": "sgl", "command": ["python", "-m", "sglang.launch_server"], "resources": GPU}
CLIENT = {"name": "bench", "image": "vllm/vllm-openai:v1", "command": ["python3", "vllm.py"]}
SIDECAR = ENGINE | {"restartPolicy": "Always", "resources": GPU}
TARGET = Identity(kind="deployment", name="llm")


def running(*containers: dict[str, Any], **pod: Any) -> ObjectSet:
    value = deployment({})
    value["spec"]["template"]["spec"] = {"containers": [*containers]} | pod
    return objects(value)


@pytest.mark.parametrize(
    "containers",
    [[BENCH], [BENCH | IN_SCRIPT], [ROUTER], [TRAINER | {"resources": GPU}], [SGLANG, CLIENT]],
)
def test_what_does_not_start_the_engine_has_to_be_named(containers: list[dict[str, Any]]) -> None:
    """Its image or its name is not enough, and neither are GPUs."""
    with pytest.raises(BadInput, match="no workload here"):
        find_workload(running(*containers))


@pytest.mark.parametrize(
    ("containers", "pod", "why"),
    [
        ([{"name": "nginx", "image": "nginx"}], {}, "nothing in deployment/llm starts vLLM"),
        ([BENCH], {}, "nothing in deployment/llm starts vLLM"),
        ([SGLANG, CLIENT], {}, "cannot be told: sgl, bench"),
        ([ROUTER], {"initContainers": [SIDECAR]}, "is a sidecar, vllm among its initContainers"),
        ([ENGINE], {"initContainers": [SIDECAR]}, "is a sidecar, vllm among its initContainers"),
    ],
)
def test_also_one_that_is_named_may_be_no_engine(
    containers: list[dict[str, Any]], pod: dict[str, Any], why: str
) -> None:
    """A change of another container would do nothing, or harm."""
    with pytest.raises(BadInput, match=why):
        find_workload(running(*containers, **pod), TARGET)


def test_a_sidecar_that_runs_the_engine_is_told_without_a_name() -> None:
    """The router beside it is not taken for it."""
    with pytest.raises(BadInput, match="is a sidecar"):
        find_workload(running(ROUTER, initContainers=[SIDECAR]))


def test_what_runs_before_the_engine_is_no_engine() -> None:
    """An initContainer that ends fetches the model, or compiles."""
    fetch = ENGINE | {"name": "warm-up"}

    assert "vllm" == find_workload(running(ENGINE, initContainers=[fetch])).container["name"]


def test_a_kind_of_two_templates_is_refused() -> None:
    """The workers would stay as they are while their leader changes."""
    both = {"leaderTemplate": {"spec": POD}, "workerTemplate": {"spec": POD}}
    value = of("LeaderWorkerSet", {"leaderWorkerTemplate": both})

    for target in (None, Identity(kind="LeaderWorkerSet", name="it")):
        with pytest.raises(BadInput, match=r"2 templates \(leaderTemplate, workerTemplate\)"):
            find_workload(objects(value), target)
