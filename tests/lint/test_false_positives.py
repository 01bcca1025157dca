"""
Manifests after the shapes of public guides, and everything that is found in them.

A wrong alarm is a defect. What is found is listed here, each with the reason why it is right; a
finding that is not listed, or one that is listed and not found, fails.
"""

from pathlib import Path

import pytest

from firstlight.lint.rule import Severity
from firstlight.lint.rules.table import RULES
from tests.lint.judging import codes_of, judged

FOLDER = Path(__file__).parent / "shapes"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))

NOTED = {
    # No volume is mounted where torch.compile keeps its work.
    "compile-cache-in-container": "aibrix eks-karpenter gcsfuse gke-tutorial keda-scaled knative "
    "lws-ray mountpoint-s3 production-stack sleep-gateway vllm-docs-gpu",
    # A probe that asks every 10 s, or 30, decides when the start is seen to end.
    "coarse-startup-probe": "bento knative llm-d-decode lws-ray openshift-modelcar "
    "production-stack vllm-docs-gpu",
    # /work-dir is a mount of a bucket; that of gcsfuse fetches whole files by many requests.
    "fuse-mounted-weights": "mountpoint-s3",
    # An initContainer of another image has to be done before the engine's is asked for.
    "init-image-before-engine": "aibrix openshift-modelcar",
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
    "model-download-at-start": "gke-tutorial llm-d-decode lws-ray",
    # The probe allows more than the 600 s after which a rollout is called failed.
    "rollout-deadline-below-start": "eks-karpenter gcsfuse llm-d-decode mountpoint-s3 "
    "prepull-daemonset",
    # A ReadWriteOnce claim and a rolling update: the new pod may land on another node.
    "rollout-waits-for-volume": "vllm-docs-cpu vllm-docs-gpu",
    # VLLM_CACHE_ROOT is on the node's disk, Triton's and FlashInfer's folders are not.
    "caches-outside-volume": "prepull-daemonset",
}
EXPECTED = {
    name: sorted(code for code, names in (NOTED | WARNED).items() if name in names.split())
    for name in NAMES
}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_found_is_right_and_nothing_else_is_found(name: str) -> None:
    """Each with a line; errors there are none in guides that work."""
    linted = judged((FOLDER / f"{name}.yaml").read_text(), name=f"{name}.yaml")

    assert EXPECTED[name] == codes_of(linted.findings)
    assert all(one.line for one in linted.findings)
    assert () == linted.not_judged


def test_there_are_twenty_shapes() -> None:
    """And every one that the expectations name is among them."""
    named = {name for names in (NOTED | WARNED).values() for name in names.split()}

    assert 20 <= len(NAMES)
    assert named <= set(NAMES)


def test_the_expectations_know_how_bad_each_is() -> None:
    """A note that becomes a warning breaks somebody's pipeline."""
    severities = {rule.code: rule.severity for rule in RULES}

    assert {Severity.NOTE} == {severities[code] for code in NOTED}
    assert {Severity.WARNING} == {severities[code] for code in WARNED}
