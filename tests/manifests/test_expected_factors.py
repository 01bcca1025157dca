"""What the pods say of the cache that fits, and that it stays right whatever is changed."""

import json
from typing import Any

import pytest

from firstlight.caches.factors import Factors
from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.drawing import draw, has
from firstlight.manifests.expected_factors import EXPECTED, expected_factors, written_expectation
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.workload import find_workload
from firstlight.wiring.cards import deck
from tests.manifests.operating import done
from tests.manifests.shapes import deployment, objects

EXPECT = {"do": "expect-cache"}
ENGINE: dict[str, Any] = {
    "command": ["vllm", "serve"],
    "args": ["s3://acme/m", "--max-num-seqs=8", "--port=8000", "--served-model-name=m"],
    "env": [
        {"name": "VLLM_USE_AOT_COMPILE", "value": "0"},
        {"name": "VLLM_CACHE_ROOT", "value": "/c/vllm"},
        {"name": "LANG", "value": "C"},
    ],
}
PUBLISHED = {
    "cache_uri": "s3://acme/cache",
    "firstlight_image": "registry.example/firstlight:1",
    "trusted_key": f"ed25519:{'a' * 43}=",
}


def said(on: ObjectSet) -> dict[str, Any]:
    """The annotation's text, read."""
    text = written_expectation(find_workload(on))
    assert text is not None
    found: dict[str, Any] = json.loads(text)
    return found


def drawn(technique: str, on: ObjectSet, **given: str) -> ObjectSet:
    """The objects with one technique more."""
    cards = deck()
    return applied(draw(cards.card(technique), on, deck=cards, given=given), on)


def test_the_pods_say_what_the_engine_is_given() -> None:
    """Only what the engine's own key is made of, and the image for all versions in it."""
    after = done(objects(deployment(ENGINE)), EXPECT)

    assert {
        "image": "docker.io/vllm/vllm-openai:v0.26.0",
        "model": "s3://acme/m",
        "arguments": {"--max-num-seqs": "8"},
        "environment": {"VLLM_USE_AOT_COMPILE": "0"},
    } == said(after)


def test_it_is_what_a_file_of_factors_is() -> None:
    """`pull` reads both with one reader."""
    after = done(objects(deployment(ENGINE)), EXPECT)

    assert expected_factors(find_workload(after), after) == Factors(**said(after))


def test_other_annotations_stay() -> None:
    """They are somebody else's."""
    value = deployment(ENGINE)
    value["spec"]["template"]["metadata"] = {"labels": {"a": "b"}, "annotations": {"x": "y"}}

    after = done(objects(value), EXPECT)

    metadata = after.manifests[0].value["spec"]["template"]["metadata"]
    assert {"a": "b"} == metadata["labels"]
    assert {"x", EXPECTED} == set(metadata["annotations"])


def test_a_model_that_is_not_written_out_is_refused() -> None:
    """A cache for an unknown model would fit every model."""
    with pytest.raises(BadInput, match="does not say which model"):
        done(objects(deployment({"command": ["vllm", "serve"], "args": ["--port=1"]})), EXPECT)


def test_a_technique_that_changes_arguments_changes_it_too() -> None:
    """Else a cache would be pulled that the engine does not use."""
    published = drawn("compile-cache-published", objects(deployment(ENGINE)), **PUBLISHED)

    slept = drawn("sleep-wake", published, firstlight_image="registry.example/firstlight:1")

    assert "--enable-sleep-mode" not in said(published)["arguments"]
    assert "--enable-sleep-mode" in said(slept)["arguments"]
    assert expected_factors(find_workload(slept), slept) == Factors(**said(slept))


def test_one_that_changes_nothing_leaves_it_alone() -> None:
    """What is wrong there was changed by hand; a technique is there all the same."""
    published = drawn("compile-cache-published", objects(deployment(ENGINE)), **PUBLISHED)
    pod = published.manifests[0].value["spec"]["template"]["spec"]
    pod["containers"][0]["args"].append("--max-model-len=512")

    # It is on the volume of the pod, so the local one is not there; another is.
    assert has(deck().card("stream-weights"), streamed(published), given={})
    assert not has(deck().card("compile-cache-published"), published, given=PUBLISHED)
    mended = drawn("compile-cache-published", published, **PUBLISHED)
    assert "512" == said(mended)["arguments"]["--max-model-len"]


def streamed(on: ObjectSet) -> ObjectSet:
    """With streamed weights, and then an expectation that is old."""
    after = drawn("stream-weights", on, model_uri="s3://acme/m")
    template = after.manifests[0].value["spec"]["template"]
    template["metadata"]["annotations"][EXPECTED] = "{}"
    return after


def test_without_a_published_cache_nothing_is_said() -> None:
    """An annotation that nobody reads is noise."""
    after = drawn("compile-cache-local", objects(deployment(ENGINE)))

    assert written_expectation(find_workload(after)) is None
