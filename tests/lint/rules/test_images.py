"""Which image the engine runs, and what is pulled before it."""

from typing import Any

import pytest

from firstlight.lint.rules import image_tag_moves, init_image_before_engine, pull_policy_always
from tests.lint.rules.around import (
    IMAGE,
    daemon_set,
    deployment,
    engine,
    linted_by,
    node_class,
    said_by,
)

MOVES = image_tag_moves.RULE
ALWAYS = pull_policy_always.RULE
BEFORE = init_image_before_engine.RULE


@pytest.mark.parametrize(
    "image",
    [
        "vllm/vllm-openai:latest",
        "vllm/vllm-openai",
        "vllm/vllm-openai:nightly",
        "registry.example:5000/vllm-openai",
    ],
)
def test_a_tag_that_moves(image: str) -> None:
    """A registry's port is no tag."""
    said = said_by(MOVES, deployment(engine(image=image)))

    assert 1 == len(said)
    assert image in said[0]


@pytest.mark.parametrize(
    "image",
    [
        IMAGE,
        "vllm/vllm-openai@sha256:" + "0" * 64,
        "vllm/vllm-openai:latest@sha256:" + "0" * 64,
        "vllm/vllm-openai:${TAG}",
        "$(IMAGE)",
    ],
)
def test_an_image_that_stays_or_is_not_known(image: str) -> None:
    """A digest says more than the tag beside it."""
    assert [] == said_by(MOVES, deployment(engine(image=image)))


def kept(**changes: Any) -> dict[str, Any]:
    """An engine whose cache is a directory of the node."""
    container = engine(
        env=[{"name": "VLLM_CACHE_ROOT", "value": "/cache"}],
        volumeMounts=[{"name": "cache", "mountPath": "/cache"}],
        **({"imagePullPolicy": "Always"} | changes),
    )
    volumes = [{"name": "cache", "hostPath": {"path": "/var/cache/vllm"}}]
    return deployment(container, pod={"volumes": volumes})


def test_always_on_a_node_that_is_warm() -> None:
    """The image was pulled beforehand, or the node is kept for its cache."""
    always = deployment(engine(imagePullPolicy="Always"))

    assert 1 == len(said_by(ALWAYS, daemon_set(), always))
    script = "#!/bin/bash\ncrictl pull docker.io/vllm/vllm-openai:v0.26.0\n"
    assert 1 == len(said_by(ALWAYS, node_class(userData=script), always))
    assert 1 == len(said_by(ALWAYS, kept()))


@pytest.mark.parametrize("policy", [None, "IfNotPresent", "Never"])
def test_other_policies(policy: str | None) -> None:
    """The kubelet asks nobody."""
    assert [] == said_by(ALWAYS, kept(imagePullPolicy=policy))


@pytest.mark.parametrize(
    ("image", "policy", "expected"),
    [
        ("vllm/vllm-openai:latest", None, 1),
        ("vllm/vllm-openai", None, 1),
        ("registry.example:5000/vllm-openai", None, 1),
        ("vllm/vllm-openai:latest", "IfNotPresent", 0),
        ("vllm/vllm-openai:nightly", None, 0),
        ("vllm/vllm-openai@sha256:" + "0" * 64, None, 0),
        ("vllm/vllm-openai:latest@sha256:" + "0" * 64, None, 0),
        ("vllm/vllm-openai:${TAG}", None, 0),
    ],
)
def test_without_a_policy_the_tag_decides(image: str, policy: str | None, expected: int) -> None:
    """Latest, said or left out, is Always; a digest is not."""
    linted = linted_by(ALWAYS, kept(image=image, imagePullPolicy=policy))

    assert expected == len(linted.findings)
    assert all(one.path.endswith(".image") for one in linted.findings)
    assert all("Always is the policy of this tag" in one.what for one in linted.findings)


def test_always_where_nothing_is_warm() -> None:
    """Another image is pulled beforehand, and /dev/shm is no cache."""
    always = deployment(
        engine(imagePullPolicy="Always", volumeMounts=[{"name": "shm", "mountPath": "/dev/shm"}]),
        pod={"volumes": [{"name": "shm", "hostPath": {"path": "/dev/shm"}}]},
    )

    assert [] == said_by(ALWAYS, daemon_set(image="registry.example/tools:1"), always)


def with_init(*images: str, **fields: Any) -> dict[str, Any]:
    listed = [{"name": f"init-{i}", "image": one} | fields for i, one in enumerate(images)]
    return deployment(pod={"initContainers": listed})


def test_another_image_holds_the_pull_back() -> None:
    """Each of them, until the engine's own is pulled."""
    other = "amazon/aws-cli:2.31.0"

    assert 1 == len(said_by(BEFORE, with_init(other)))
    assert 2 == len(said_by(BEFORE, with_init(other, "registry.example/tools:1", IMAGE, other)))


@pytest.mark.parametrize(
    "made",
    [
        deployment(),
        with_init(IMAGE),
        with_init("docker.io/vllm/vllm-openai:v0.26.0"),
        with_init("busybox:1.37"),
        with_init("${TOOLS}"),
        with_init("registry.example/proxy:1", restartPolicy="Always"),
    ],
)
def test_nothing_holds_the_pull_back(made: dict[str, Any]) -> None:
    """The engine's own image, a tiny one, one that is not known, or a sidecar."""
    assert [] == said_by(BEFORE, made)


def test_a_pre_pull_takes_it_off_the_way() -> None:
    """It is under way long before the initContainer ends."""
    assert [] == said_by(BEFORE, daemon_set(), with_init("amazon/aws-cli:2.31.0"))
