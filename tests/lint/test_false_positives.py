"""
Manifests after the shapes of public guides, and everything that is found in them.

A wrong alarm is a defect. What is found is listed here, each with the reason why it is right; a
finding that is not listed, or one that is listed and not found, fails.
"""

from pathlib import Path

import pytest

from firstlight.lint.rule import Severity
from firstlight.lint.scene import scene
from tests.lint.judging import codes_of, judged, objects_of

FOLDER = Path(__file__).parent / "shapes"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))

NOTED = {
    # No volume is mounted where torch.compile keeps its work.
    "compile-cache-in-container": "aibrix eks-auto-hub eks-karpenter eks-s3-streamer gcsfuse "
    "gke-tutorial keda-scaled knative kserve-runtime lws-ray mountpoint-s3 production-stack "
    "sleep-gateway vllm-docs-gpu",
    # A probe that asks every 10 s, or 30, or not before 60, decides when the start is seen to end.
    "coarse-startup-probe": "aks-kaito bento dynamo-worker eks-auto-hub knative llm-d-decode "
    "lws-ray openshift-modelcar production-stack vllm-docs-gpu",
    # /work-dir is a mount of a bucket; that of gcsfuse fetches whole files by many requests.
    "fuse-mounted-weights": "mountpoint-s3",
    # An initContainer of another image has to be done before the engine's is asked for.
    "init-image-before-engine": "aibrix openshift-modelcar",
    # The probe allows more than the 600 s after which a rollout is called failed.
    "rollout-deadline-below-start": "dynamo-worker eks-karpenter gcsfuse llm-d-decode "
    "mountpoint-s3 prepull-daemonset",
    # The strategy is RollingUpdate, which nobody wrote: the new pod wants a GPU beside the old.
    "rollout-needs-spare-gpu": "aibrix bento gcsfuse gke-tutorial llm-d-decode mountpoint-s3 "
    "openshift-modelcar production-stack vllm-docs-gpu",
}
WARNED = {
    # The tag is `latest`.
    "image-tag-moves": "vllm-docs-gpu",
    # Killed after 90 s, with 14 GB to download first.
    "liveness-without-startup-probe": "vllm-docs-gpu",
    # From the Hub into the container, or into an emptyDir: again for each pod.
    "model-download-at-start": "eks-auto-hub gke-tutorial llm-d-decode lws-ray",
    # A ReadWriteOnce claim and a rolling update: the new pod may land on another node.
    "rollout-waits-for-volume": "vllm-docs-cpu vllm-docs-gpu",
    # VLLM_CACHE_ROOT is on the node's disk, Triton's and FlashInfer's folders are not.
    "caches-outside-volume": "prepull-daemonset",
}
EXPECTED = {
    name: sorted(code for code, names in (NOTED | WARNED).items() if name in names.split())
    for name in NAMES
}
ENGINES = {
    # A leader, which serves, and a worker that joins its Ray cluster.
    "lws-ray": 2,
    # A batch that ends, a graph that an operator has yet to make pods of, an application of Ray
    # Serve, a pod in which somebody starts what he likes.
    "batch-job": 0,
    "dynamo-graph": 0,
    "rayservice": 0,
    "skypilot-pod": 0,
}
"""How many engines are seen; one in each of the others."""
ENOUGH = 20


@pytest.mark.parametrize("name", NAMES)
def test_what_is_found_is_right_and_nothing_else_is_found(name: str) -> None:
    """Each with a line; errors there are none in guides that work."""
    linted = judged(text_of(name), name=f"{name}.yaml")

    assert EXPECTED[name] == codes_of(linted.findings)
    assert all(one.line for one in linted.findings)
    assert () == linted.not_judged


@pytest.mark.parametrize("name", NAMES)
def test_each_is_as_bad_as_is_listed(name: str) -> None:
    """A note that becomes a warning breaks somebody's pipeline."""
    linted = judged(text_of(name), name=f"{name}.yaml")

    listed = {code: Severity.NOTE if code in NOTED else Severity.WARNING for code in EXPECTED[name]}
    assert listed == {one.code: one.severity for one in linted.findings}


@pytest.mark.parametrize("name", NAMES)
def test_so_many_engines_are_seen_in_each(name: str) -> None:
    """Where none is seen, nothing could have been found, and the shape proves little."""
    assert ENGINES.get(name, 1) == len(scene(objects_of(text_of(name))).engines)


def test_there_are_twenty_shapes_with_an_engine() -> None:
    """And every one that the expectations name is among the shapes."""
    named = {name for names in (NOTED | WARNED).values() for name in names.split()} | ENGINES.keys()

    assert named <= set(NAMES)
    assert ENOUGH <= len([name for name in NAMES if ENGINES.get(name, 1)])


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.yaml").read_text()
