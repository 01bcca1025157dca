"""`render --publishing-job`: the Job that fills and publishes what the pods pull."""

from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from tests.cli.console import firstlight, said

EXAMPLES = Path(__file__).parents[2] / "examples" / "render"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: vllm, namespace: serving}
spec:
  selector: {matchLabels: {app: vllm}}
  template:
    metadata: {labels: {app: vllm}}
    spec:
      containers:
      - name: engine
        image: vllm/vllm-openai:v0.26.0
        command: [vllm, serve]
        args: [s3://acme/m]
"""
PUBLISHED = (
    *("--technique", "compile-cache-published", "--set", "cache_uri=s3://acme/cache"),
    *("--set", f"trusted_key=ed25519:{'a' * 43}=", "--set", "firstlight_image=firstlight:1"),
)
JOB = "--publishing-job"


@pytest.fixture
def vllm(tmp_path: Path) -> Path:
    path = tmp_path / "vllm.yaml"
    path.write_text(DEPLOYMENT)
    return path


def test_with_the_technique_or_on_what_has_it_already(vllm: Path, tmp_path: Path) -> None:
    """One and the same, and nothing but objects that a cluster takes."""
    both = firstlight("render", vllm, *PUBLISHED, JOB)
    has_it = tmp_path / "published.yaml"
    has_it.write_bytes(firstlight("render", vllm, *PUBLISHED, "--output", "objects").stdout)

    after = firstlight("render", has_it, JOB)

    assert 0 == both.returncode, said(both)
    assert both.stdout == after.stdout
    objects = list(yaml.safe_load_all(both.stdout))
    assert ["ServiceAccount", "Job"] == [one["kind"] for one in objects]
    for one in objects:
        kubernetes_validate.validate(one, "1.32", strict=True)


def test_what_it_needs_first_stands_above_it(vllm: Path) -> None:
    """The Secret with the key, and the role that may write."""
    text = firstlight("render", vllm, *PUBLISHED, JOB).stdout.decode()

    head = text.partition("apiVersion")[0].replace("#     ", "").replace("\n", " ")
    assert "kubectl create secret generic vllm-cache-publisher -n serving" in head
    assert "may s3:PutObject" in head


@pytest.mark.parametrize("step", ["3", "5"])
def test_of_an_intents_step(step: str) -> None:
    """Of the engine as it is in that step."""
    done = firstlight("render", EXAMPLES / "intent.yaml", "--step", step, JOB)

    assert 0 == done.returncode, said(done)
    _, job = yaml.safe_load_all(done.stdout)
    sleeps = "--enable-sleep-mode" in str(job)
    assert sleeps is (step == "5")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([JOB], "pull no published cache"),
        ([*PUBLISHED, JOB, "--output", "objects"], "--output has no meaning beside"),
        ([*PUBLISHED, JOB, "--kustomize", "x"], "--kustomize has no meaning beside"),
        (["--list", JOB], "--list takes only --output json"),
    ],
)
def test_what_has_no_meaning_is_wrong_usage(vllm: Path, given: list[str], words: str) -> None:
    """And prints nothing that somebody could apply."""
    on = [] if "--list" in given else [vllm]

    done = firstlight("render", *on, *given)

    assert (2, b"") == (done.returncode, done.stdout)
    assert words in said(done)


def test_an_intent_has_many_steps() -> None:
    """Which one is meant has to be said; one without a published cache has no Job."""
    intent = EXAMPLES / "intent.yaml"

    assert "say --step N" in said(firstlight("render", intent, JOB))
    assert "pull no published cache" in said(firstlight("render", intent, "--step", "2", JOB))
