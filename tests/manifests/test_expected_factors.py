"""What the pods say of the cache that fits, and that it stays right whatever is changed."""

import json
from hashlib import sha256
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
from tests.manifests.operating import change_of, done
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


@pytest.mark.parametrize(
    "words",
    [
        {"command": ["vllm", "serve"], "args": ["$(MODEL)"]},
        {"command": ["sh", "-c", "exec vllm serve $MODEL"]},
    ],
)
def test_a_model_of_a_variable_is_what_the_variable_holds(words: dict[str, Any]) -> None:
    """And is refused where that is not among the objects: two models would have one cache."""
    known = ENGINE | words | {"env": [{"name": "MODEL", "value": "s3://acme/other"}]}
    unknown = ENGINE | {"args": None} | words | {"envFrom": [{"configMapRef": {"name": "x"}}]}
    reference = {"name": "MODEL", "valueFrom": {"configMapKeyRef": {"name": "x", "key": "m"}}}

    after = done(objects(deployment(known | {"args": words.get("args")})), EXPECT)

    assert "s3://acme/other" == said(after)["model"]
    for container in (unknown, ENGINE | {"args": None} | words | {"env": [reference]}):
        with pytest.raises(BadInput, match="does not say which model"):
            change_of(objects(deployment(container)), EXPECT)


def test_arguments_of_a_variable_count() -> None:
    """As far as they are among the objects; else it is said."""
    script = {"command": ["sh", "-c", "vllm serve s3://acme/m $MORE"], "args": None}
    given = ENGINE | script | {"env": [{"name": "MORE", "value": "--max-num-seqs 4"}]}
    secret = {"name": "MORE", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}

    after = done(objects(deployment(given)), EXPECT)
    change = change_of(objects(deployment(ENGINE | script | {"env": [secret]})), EXPECT)

    assert "4" == said(after)["arguments"]["--max-num-seqs"]
    assert any("what $MORE holds is not among the objects" in one for one in change.assumptions)


SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}


@pytest.mark.parametrize(
    "words",
    [
        {"command": ["env", "VLLM_X=A", "vllm", "serve"]},
        {"command": ["sh", "-c", "export VLLM_X=A; exec vllm serve s3://acme/m"], "args": None},
    ],
)
def test_what_the_command_sets_counts(words: dict[str, Any]) -> None:
    """The engine sees it like any other variable."""
    after = done(objects(deployment(ENGINE | words)), EXPECT)

    assert "A" == said(after)["environment"]["VLLM_X"]


def test_two_secrets_are_two() -> None:
    """What they hold is not known, and where it comes from is."""
    one, other = (
        done(
            objects(deployment(ENGINE | {"env": [{"name": "VLLM_X", "valueFrom": value}]})), EXPECT
        )
        for value in (SECRET, {"secretKeyRef": {"name": "other", "key": "k"}})
    )

    assert said(one)["environment"] != said(other)["environment"]


def test_no_secret_is_said() -> None:
    """Neither by its name nor by its form, and no digest that could be tried."""
    env = [
        {"name": "VLLM_API_KEY", "value": "hunter2"},
        {"name": "VLLM_WHEEL_URL", "value": "https://bob:s3cr3tPassw0rd@host/x"},
    ]

    text = written_expectation(
        find_workload(done(objects(deployment(ENGINE | {"env": env})), EXPECT))
    )

    assert text is not None
    for secret in ("hunter2", "s3cr3tPassw0rd", sha256(b"hunter2").hexdigest()):
        assert secret not in text


def test_what_is_not_known_is_said() -> None:
    """A variable that vLLM hashes, of a Secret; a model that is a path."""
    secret = {"name": "VLLM_ATTENTION_BACKEND", "valueFrom": {"secretKeyRef": {"name": "s"}}}
    container = ENGINE | {"args": ["/models/m"], "env": [secret]}

    assumed = change_of(objects(deployment(container)), EXPECT).assumptions

    assert any("what VLLM_ATTENTION_BACKEND holds" in one for one in assumed)
    assert any("the model is a path, /models/m" in one for one in assumed)
    assert () == change_of(objects(deployment(ENGINE)), EXPECT).assumptions


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
