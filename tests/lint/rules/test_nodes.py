"""What nodes are made of."""

from typing import Any

import pytest

from firstlight.lint.rules import (
    instance_store_unused,
    node_volume_too_small,
)
from tests.lint.rules.around import IN_POOL, deployment, engine, node_class, pool, said_by

SMALL = node_volume_too_small.RULE
UNUSED = instance_store_unused.RULE
TYPE = "node.kubernetes.io/instance-type"
FAMILY = "karpenter.k8s.aws/instance-family"
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
