"""Pods that ask for the cache of another engine than theirs."""

import json

import pytest
import yaml

from firstlight.manifests.expected_factors import EXPECTED
from tests.lint.rules.engines import IMAGE, engine, hits, says

CODE = "cache-expectation-stale"
SAID = {
    "image": f"docker.io/{IMAGE}",
    "model": "s3://models/qwen",
    "arguments": {"--max-num-seqs": "8"},
    "environment": {"VLLM_USE_AOT_COMPILE": "0"},
}


def asking(said: object, *args: str, **given: object) -> str:
    """An engine whose pods have the annotation."""
    value = yaml.safe_load(
        engine(*args, env={"VLLM_USE_AOT_COMPILE": "0"}, **given)  # type: ignore[arg-type]
    )
    text = said if isinstance(said, str) else json.dumps(said)
    metadata = value["spec"]["template"].setdefault("metadata", {})
    metadata["annotations"] = {EXPECTED: text}
    return yaml.safe_dump(value)


def test_what_was_rendered_for_this_engine_is_right() -> None:
    """Where it listens is no part of it."""
    assert not hits(CODE, asking(SAID, "--max-num-seqs=8", "--port=9000"))
    assert not hits(CODE, engine("--max-num-seqs=8"))


@pytest.mark.parametrize(
    ("said", "args", "words"),
    [
        (SAID, ["--max-num-seqs=16"], "--max-num-seqs is 16, and the annotation says 8"),
        (SAID, [], "--max-num-seqs is not there, and the annotation says 8"),
        (
            SAID | {"image": "docker.io/vllm/vllm-openai:v0.25.0"},
            ["--max-num-seqs=8"],
            f"image is docker.io/{IMAGE}, and the annotation says docker.io/vllm/vllm-openai:v0.25",
        ),
        (SAID | {"arguments": {}}, list("abcd"), "the pods ask for"),
        ("{", [], "cannot be read"),
        ({"colour": "blue"}, [], "cannot be read"),
    ],
)
def test_what_was_changed_since_is_named(said: object, args: list[str], words: str) -> None:
    """With both values."""
    args = [f"--{one}={one}" if len(one) == 1 else one for one in args]

    [found] = says(CODE, asking(said, *args))
    assert words in found


def test_many_differences_are_counted() -> None:
    """A line is for reading."""
    args = [f"--new-{letter}=1" for letter in "abcdef"]

    [found] = says(CODE, asking(SAID, *args))
    assert found.endswith(", and 4 more")


def test_arguments_that_are_elsewhere_too_may_be_right() -> None:
    """A script's variable may hold what the annotation says."""
    assert not hits(CODE, asking(SAID, script="vllm serve s3://models/qwen $EXTRA_ARGS"))
