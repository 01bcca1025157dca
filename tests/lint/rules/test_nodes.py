"""What nodes are made of, and when they go."""

from typing import Any

import pytest

from firstlight.lint.rules import (
    consolidation_moves_engine,
    instance_store_unused,
    node_volume_too_small,
    spot_without_published_cache,
)
from tests.lint.rules.around import IN_POOL, deployment, engine, node_class, pool, said_by

SMALL = node_volume_too_small.RULE
UNUSED = instance_store_unused.RULE
MOVES = consolidation_moves_engine.RULE
SPOT = spot_without_published_cache.RULE
TYPE = "node.kubernetes.io/instance-type"
FAMILY = "karpenter.k8s.aws/instance-family"
CAPACITY = "karpenter.sh/capacity-type"
ENGINE = deployment(pod=IN_POOL)


def volume(size: str, device: str = "/dev/xvda", **more: Any) -> dict[str, Any]:
    return {"deviceName": device, "ebs": {"volumeSize": size} | more}


@pytest.mark.parametrize(
    "made",
    [
        node_class(),
        node_class(blockDeviceMappings=[volume("20Gi")]),
        node_class(blockDeviceMappings=[volume("25G")]),
        node_class(alias="bottlerocket@latest"),
        node_class(
            alias="bottlerocket@latest",
            blockDeviceMappings=[volume("100Gi"), volume("20Gi", "/dev/xvdb")],
        ),
    ],
)
def test_a_volume_that_cannot_hold_the_image(made: dict[str, Any]) -> None:
    """On Bottlerocket the second one holds it."""
    assert 1 == len(said_by(SMALL, made, pool(), ENGINE))


@pytest.mark.parametrize(
    "made",
    [
        node_class(blockDeviceMappings=[volume("100Gi")]),
        node_class(blockDeviceMappings=[volume("${SIZE}")]),
        node_class(blockDeviceMappings=[volume("8Gi", "/dev/sdf")]),
        node_class(instanceStorePolicy="RAID0"),
        node_class(alias="", amiFamily="Custom"),
        node_class(alias=""),
        node_class(name="others"),
    ],
)
def test_a_volume_that_can_or_is_not_known(made: dict[str, Any]) -> None:
    """Large enough, not told, disks of the node's own, or a class of other nodes."""
    assert [] == said_by(SMALL, made, pool(), ENGINE)


@pytest.mark.parametrize("image", ["registry.example/serve:1", "vllm/vllm-openai-cpu:v0.26.0"])
def test_an_image_of_unknown_size(image: str) -> None:
    """Only vLLM's own for GPUs is known to be as large."""
    made = deployment(engine(image=image, name="vllm"), pod=IN_POOL)

    assert [] == said_by(SMALL, node_class(), pool(), made)


@pytest.mark.parametrize(
    ("required", "expected"),
    [
        ({TYPE: ["g6e.4xlarge"]}, 1),
        ({FAMILY: ["g6e", "g5"]}, 1),
        ({TYPE: ["g6e.4xlarge"], FAMILY: ["g6e"]}, 1),
        ({FAMILY: ["g6e", "p3"]}, 0),
        ({FAMILY: ["x99"]}, 0),
        ({}, 0),
    ],
)
def test_disks_that_every_node_has(required: dict[str, list[str]], expected: int) -> None:
    """Only where each family that is allowed is known to have them."""
    assert expected == len(said_by(UNUSED, node_class(), pool(required=required), ENGINE))


@pytest.mark.parametrize(
    "made",
    [
        node_class(instanceStorePolicy="RAID0"),
        node_class(alias="", amiFamily="Custom"),
        node_class(userData="#!/bin/bash\nmdadm --create /dev/md0 /dev/nvme1n1\n"),
        node_class(blockDeviceMappings=[volume("100Gi", throughput=1000)]),
    ],
)
def test_disks_that_are_used_or_not_needed(made: dict[str, Any]) -> None:
    """By Karpenter, by a script, by an AMI of one's own; or EBS is paid to be fast."""
    assert [] == said_by(UNUSED, made, pool(required={TYPE: ["g6e.4xlarge"]}), ENGINE)


@pytest.mark.parametrize(
    "disruption",
    [
        {"consolidationPolicy": "WhenEmptyOrUnderutilized"},
        {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "1m30s"},
        {"consolidateAfter": "0s"},
        {"consolidationPolicy": "WhenUnderutilized"},
    ],
)
def test_engines_may_be_moved(disruption: dict[str, Any]) -> None:
    """Karpenter's default moves them, too."""
    assert 1 == len(said_by(MOVES, pool(disruption=disruption), ENGINE))


@pytest.mark.parametrize(
    "disruption",
    [
        {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"},
        {"consolidateAfter": "Never"},
        {"consolidateAfter": "1h"},
        {"consolidateAfter": "$(AFTER)"},
        {"consolidateAfter": "30s", "budgets": [{"nodes": "0"}]},
    ],
)
def test_engines_are_left_alone(disruption: dict[str, Any]) -> None:
    """Only empty nodes, never, after long, not known, or not one node at a time."""
    assert [] == said_by(MOVES, pool(disruption=disruption), ENGINE)


def test_pods_that_say_no() -> None:
    """By an annotation, or a budget that is for them."""
    moving = pool(disruption={"consolidateAfter": "30s"})
    kept = deployment(pod=IN_POOL, annotations={"karpenter.sh/do-not-disrupt": "true"})
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "keep", "namespace": "serving"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "qwen"}}},
    }
    other = budget | {"spec": {"selector": {"matchLabels": {"app": "web"}}}}

    assert [] == said_by(MOVES, moving, kept)
    assert [] == said_by(MOVES, moving, ENGINE, budget)
    assert 1 == len(said_by(MOVES, moving, ENGINE, other))


def cached(volume: dict[str, Any], *, init: bool = False, **changes: Any) -> dict[str, Any]:
    """An engine whose compile cache lies on a volume."""
    mount = {"name": "cache", "mountPath": "/cache"}
    container = engine(
        env=[{"name": "VLLM_CACHE_ROOT", "value": "/cache/vllm"}], volumeMounts=[mount], **changes
    )
    pod: dict[str, Any] = IN_POOL | {"volumes": [{"name": "cache"} | volume]}
    if init:
        restore = {"name": "restore", "image": "tools:1", "volumeMounts": [mount]}
        pod |= {"initContainers": [restore]}
    return deployment(container, pod=pod)


ON_NODE = {"hostPath": {"path": "/var/cache/vllm"}}
ON_SPOT = pool(required={CAPACITY: ["spot", "on-demand"]})


@pytest.mark.parametrize("made", [ENGINE, cached(ON_NODE), cached({"emptyDir": {}})])
def test_a_cache_that_goes_with_a_spot_node(made: dict[str, Any]) -> None:
    """In the container, on a volume of the pod, in a directory of the node."""
    assert 1 == len(said_by(SPOT, ON_SPOT, made))


def test_the_pod_itself_may_ask_for_spot() -> None:
    """Without a pool among the objects."""
    made = deployment(pod={"nodeSelector": {CAPACITY: "spot"}})

    assert 1 == len(said_by(SPOT, made))


@pytest.mark.parametrize(
    "made",
    [
        cached(ON_NODE, init=True),
        cached({"persistentVolumeClaim": {"claimName": "cache"}}),
        cached(ON_NODE, args=["s3://models/qwen", "--enforce-eager"]),
        cached(ON_NODE, args=["s3://models/qwen", "-O0"]),
        cached(
            ON_NODE,
            command=["bash", "-c"],
            args=["aws s3 sync s3://models/cache /cache && vllm serve s3://models/qwen"],
        ),
        cached(ON_NODE, args=["s3://models/qwen", "$(EXTRA_ARGS)"]),
        deployment(engine(image="registry.example/vllm:1"), pod=IN_POOL),
    ],
)
def test_a_cache_that_stays_or_is_restored(made: dict[str, Any]) -> None:
    """Or nothing is compiled, or nobody knows."""
    assert [] == said_by(SPOT, ON_SPOT, made)


@pytest.mark.parametrize("required", [{CAPACITY: ["on-demand"]}, {}])
def test_nodes_that_stay(required: dict[str, list[str]]) -> None:
    """A pool that says nothing may have both, and is not guessed at."""
    assert [] == said_by(SPOT, pool(required=required), cached(ON_NODE))
