"""An image pulled beforehand that is not the one the pods run."""

from typing import Any

import pytest

from firstlight.lint.rules.prepull_other_image import RULE
from tests.lint.rules.around import (
    IN_POOL,
    daemon_set,
    deployment,
    engine,
    node_class,
    pool,
    said_by,
)

OLD = "docker.io/vllm/vllm-openai:v0.25.1"


def script(*lines: str) -> dict[str, Any]:
    return node_class(userData="\n".join(("#!/bin/bash", *lines, "")))


@pytest.mark.parametrize(
    "lines",
    [
        (f"ctr -n k8s.io images pull {OLD}",),
        (f"crictl pull {OLD}",),
        (f"nerdctl --namespace k8s.io pull --quiet {OLD} || true",),
        ("docker pull vllm/vllm-openai:v0.25.1",),
        (f"IMAGE={OLD}", 'crictl pull "$IMAGE"'),
        (f"image='{OLD}'", "cat >/run/x <<'END'", 'ctr images pull "${image}"', "END"),
        (f"for i in {OLD} registry.k8s.io/pause:3.10; do ctr image pull $i; done",),
        ("crictl pull index.docker.io/vllm/vllm-openai:v0.25.1",),
    ],
)
def test_a_script_that_pulls_another_tag(lines: tuple[str, ...]) -> None:
    """However it pulls, and wherever the name stands."""
    said = said_by(RULE, script(*lines), pool(), deployment(pod=IN_POOL))

    assert len(said) == 1
    assert "v0.25.1 pulled beforehand, and Deployment/qwen runs vllm/vllm-openai:v0.26.0" in said[0]


@pytest.mark.parametrize(
    "lines",
    [
        ("ctr images pull docker.io/vllm/vllm-openai:v0.26.0",),
        ("# was vllm/vllm-openai:v0.25.1", "crictl pull docker.io/vllm/vllm-openai:v0.26.0"),
        (f"crictl pull {OLD}", "crictl pull docker.io/vllm/vllm-openai:v0.26.0"),
        ("TAG=v0.26.0", "crictl pull docker.io/vllm/vllm-openai:$TAG"),
        ("REPO=docker.io/vllm/vllm-openai TAG=v0.26.0", "crictl pull $REPO:$TAG"),
        ("crictl pull registry.example/tools:1",),
        ("echo vllm/vllm-openai:v0.25.1 is what ran before",),
        ("crictl pull docker.io/vllm/vllm-openai@sha256:" + "0" * 64,),
    ],
)
def test_what_is_equal_or_not_known_says_nothing(lines: tuple[str, ...]) -> None:
    """One of several may be the pods'; a variable may be anything; a digest may be the tag's."""
    assert [] == said_by(RULE, script(*lines), pool(), deployment(pod=IN_POOL))


def test_two_digests_that_differ() -> None:
    """Digests say exactly which image is meant."""
    pulled = script("crictl pull docker.io/vllm/vllm-openai@sha256:" + "0" * 64)
    run = engine(image="vllm/vllm-openai:v0.26.0@sha256:" + "1" * 64)

    assert 1 == len(said_by(RULE, pulled, pool(), deployment(run, pod=IN_POOL)))


def test_a_class_of_other_nodes_is_not_compared() -> None:
    """Two engines, each with nodes of its own."""
    other = script(f"crictl pull {OLD}") | {"metadata": {"name": "others"}}

    assert [] == said_by(RULE, other, node_class(), pool(), deployment(pod=IN_POOL))


def test_a_pool_that_is_not_there_is_not_guessed() -> None:
    """Whose class the script is nobody knows then."""
    assert [] == said_by(RULE, script(f"crictl pull {OLD}"), deployment(pod=IN_POOL))


def test_pods_that_choose_no_pool_are_served_by_the_only_class() -> None:
    """The set tells of no other."""
    assert 1 == len(said_by(RULE, script(f"crictl pull {OLD}"), deployment()))
    both = (script(f"crictl pull {OLD}"), node_class(name="others"))
    assert [] == said_by(RULE, *both, deployment())


def test_a_daemon_set_that_pulls() -> None:
    """Its initContainer has the image; the place is that line."""
    assert 1 == len(said_by(RULE, daemon_set(image=OLD), deployment()))
    assert [] == said_by(RULE, daemon_set(), deployment())


def test_a_daemon_set_that_serves_is_no_pull() -> None:
    """Another engine, of another version, on each node."""
    serving = daemon_set()
    serving["spec"]["template"]["spec"] = {"containers": [engine(image=OLD)]}

    assert [] == said_by(RULE, serving, deployment())


def test_what_another_engine_runs_is_not_stale() -> None:
    """Of two versions that run, one is pulled beforehand."""
    older = deployment(engine(image=OLD), name="older")

    assert [] == said_by(RULE, daemon_set(image=OLD), deployment(), older)


@pytest.mark.parametrize(
    "spec",
    [
        {"image": OLD},
        {"images": [OLD]},
        {"cacheSpec": [{"images": [OLD]}]},
        {"cacheSpec": [{"images": [{"name": OLD}]}]},
    ],
)
def test_objects_of_operators_that_pull(spec: dict[str, Any]) -> None:
    """OpenKruise's and kube-fledged's."""
    kind = "ImageCache" if "cacheSpec" in spec else "ImagePullJob"
    job = {"apiVersion": "x/v1", "kind": kind, "metadata": {"name": "pull"}, "spec": spec}

    assert 1 == len(said_by(RULE, job, deployment()))
