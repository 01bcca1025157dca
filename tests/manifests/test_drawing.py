"""How a card is filled and what keeps it from being drawn."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from firstlight.manifests.drawing import draw, has
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck
from tests.manifests.shapes import deployment, engine, objects

SOURCES = [{"origin": "ours", "where": "here"}]


def card(name: str, *operations: dict[str, Any], **fields: Any) -> Card:
    """A card of these operations; the rest of it does not matter here."""
    kubernetes = {"operations": operations, "refused": fields.pop("refused", None)}
    raw = {
        "id": name,
        "title": name,
        "says": "x",
        "claim": {"says": "x", "phases": [], "sources": SOURCES},
        "change": {"kubernetes": kubernetes, "process": {}},
        "proof": [],
        "decision": {
            "status": "recommended",
            "reason": "x",
            "origin": "ours",
            "sources": SOURCES,
            "look_again": {"when": "x > 1", "says": "x", "origin": "ours"},
        },
        **fields,
    }
    return msgspec.convert(raw, Card)


def deck_of(*cards: Card) -> Deck:
    return Deck(cards={c.id: c for c in cards})


def drawn(
    on: ObjectSet,
    *operations: dict[str, Any],
    given: Mapping[str, Any] | None = None,
    **fields: Any,
) -> ObjectSet:
    made = card("it", *operations, **fields)
    return applied(draw(made, on, deck=deck_of(made), given=given or {}), on)


SET_SEED = {"do": "set-argument", "argument": "--seed", "value": "${seed}"}
SEED = {"seed": {"says": "x", "default": "1"}}
ON = objects(deployment({"args": ["--model", "m"]}))


def test_a_parameter_is_what_the_user_says_before_what_the_card_says() -> None:
    """And a number is written out where it becomes an argument."""
    assert ["--model", "m", "--seed", "1"] == engine(drawn(ON, SET_SEED, parameters=SEED))["args"]
    assert ["--model", "m", "--seed", "7"] == engine(
        drawn(ON, SET_SEED, parameters=SEED, given={"seed": 7})
    )["args"]


def test_a_parameter_that_nobody_gives_is_asked_for_by_name() -> None:
    """With the words to say it."""
    with pytest.raises(BadInput, match="it needs seed") as refusal:
        drawn(ON, SET_SEED, parameters={"seed": {"says": "x"}})

    assert "--set seed=VALUE" in refusal.value.remedy


def test_a_technique_without_a_patch_says_why() -> None:
    """In the card's own words."""
    with pytest.raises(BadInput, match="it cannot be rendered: the moon is wrong"):
        drawn(ON, refused="the moon is wrong")


def test_what_it_builds_on_has_to_be_there() -> None:
    """Told by the objects alone, not by a label."""
    first = card("first", SET_SEED, parameters=SEED)
    second = card("second", {"do": "set-argument", "argument": "--x"}, builds_on=["first"])
    both = deck_of(first, second)

    with pytest.raises(BadInput, match="builds on first") as refusal:
        draw(second, ON, deck=both, given={})
    after = applied(draw(first, ON, deck=both, given={"seed": "5"}), ON)

    assert "render first first" == refusal.value.remedy
    assert has(first, after, given={"seed": "5"})
    assert not draw(
        second, applied(draw(first, ON, deck=both, given={}), ON), deck=both, given={}
    ).is_empty


def test_what_it_excludes_must_not_be_there() -> None:
    """It is named, with the line of what shows it."""
    first = card("first", SET_SEED, parameters=SEED)
    second = card("second", {"do": "set-argument", "argument": "--x"}, excludes=["first"])
    both = deck_of(first, second)
    drawn_on = applied(draw(first, ON, deck=both, given={}), ON)
    lines = {"/spec/template/spec/containers/0/args/2": 12}
    after = ObjectSet(
        manifests=tuple(replace(m, artefact="vllm.yaml", lines=lines) for m in drawn_on)
    )

    with pytest.raises(BadInput, match=r"first is there \(vllm.yaml line 12\)"):
        draw(second, after, deck=both, given={})

    assert not draw(second, ON, deck=both, given={}).is_empty


def test_what_it_excludes_is_found_in_the_container_where_no_argument_shows_it() -> None:
    """It is there by a variable alone."""
    first = card("first", {"do": "set-environment", "name": "A", "value": "1"})
    second = card("second", {"do": "set-argument", "argument": "--x"}, excludes=["first"])
    both = deck_of(first, second)
    after = applied(draw(first, ON, deck=both, given={}), ON)

    with pytest.raises(BadInput, match=r"first is there \(Deployment/llm\)"):
        draw(second, after, deck=both, given={})


def test_a_technique_without_operations_is_never_there() -> None:
    """An empty change would say otherwise."""
    assert not has(card("none"), ON, given={})


def test_what_is_known_of_every_workload_needs_no_saying() -> None:
    """Its name, namespace, image and container; the port as it is reached."""
    words = "${name} ${namespace} ${engine_image} ${engine_container} ${engine_port}"
    on = objects(deployment({"args": ["--model", "m", "--port", "9000"]}))

    after = drawn(on, {"do": "set-environment", "name": "X", "value": words})

    assert "llm ns vllm/vllm-openai:v0.26.0 vllm 9000" == engine(after)["env"][0]["value"]


@pytest.mark.parametrize(
    ("container", "port"),
    [
        ({"args": ["m"]}, "8000"),
        ({"args": ["m"], "ports": [{"containerPort": 7000}]}, "7000"),
        (
            {"args": ["m"], "ports": [{"containerPort": 1}, {"name": "http", "containerPort": 2}]},
            "2",
        ),
        ({"args": ["m", "--port=9000"], "ports": [{"containerPort": 7000}]}, "9000"),
        ({"args": ["m", "--port=$(P)"], "env": [{"name": "P", "value": "81"}]}, "81"),
        (
            {"args": ["m", "--port", "9", "--host", "127.0.0.1"], "ports": [{"containerPort": 7}]},
            "7",
        ),
    ],
)
def test_the_port_is_the_one_that_clients_use(container: dict[str, Any], port: str) -> None:
    """One that listens on loopback only is behind something else."""
    after = drawn(
        objects(deployment(container)),
        {"do": "set-environment", "name": "X", "value": "${engine_port}"},
    )

    assert port == engine(after)["env"][-1]["value"]


def test_a_namespace_that_is_not_written_is_not_written_into_others() -> None:
    """Whoever applies them says it for all; where a name needs one, the default is said."""
    value = deployment({"args": ["m"]})
    del value["metadata"]["namespace"]
    new = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "${namespace}-x", "namespace": "${namespace}"},
    }
    made = card("it", {"do": "add-object", "object": new})

    change = draw(made, objects(value), deck=deck_of(made), given={})

    assert {"name": "default-x"} == change.added[0].value["metadata"]
    assert ("no namespace is written, so default is taken for it",) == change.assumptions


def test_a_change_of_a_pod_says_that_it_has_to_be_made_anew() -> None:
    """The API refuses to change it."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "llm"},
        "spec": {"containers": [{"name": "vllm", "image": "vllm/vllm-openai:1", "args": ["m"]}]},
    }
    made = card("it", {"do": "set-argument", "argument": "--x"})

    change = draw(made, objects(pod), deck=deck_of(made), given={})

    assert "delete it and create it anew" in change.assumptions[0]


def test_the_workload_can_be_named() -> None:
    """In any case of its kind, where two run an engine."""
    two = [deployment({"args": ["m"]}), deployment({"args": ["m"]})]
    two[1]["metadata"] = {"name": "other", "namespace": "ns"}
    made = card("it", {"do": "set-argument", "argument": "--x"})

    change = draw(
        made,
        objects(*two),
        deck=deck_of(made),
        given={},
        target=Identity(kind="deployment", name="other"),
    )

    assert ["Deployment/other"] == [str(patch.target) for patch in change.patches]


def test_a_refusal_names_the_line() -> None:
    """As the reader of the file found it."""
    env = {"name": "X", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
    value = deployment({"args": ["m"], "env": [env]})
    lines = {"": 1, "/spec/template/spec/containers/0/env/0": 17}
    on = ObjectSet(manifests=(Manifest(value=value, artefact="llm.yaml", lines=lines),))

    with pytest.raises(BadInput, match=r"llm\.yaml line 17"):
        drawn(on, {"do": "set-environment", "name": "X", "value": "1"})


def test_what_was_given_is_not_touched() -> None:
    """Neither by drawing nor by applying."""
    on = objects(deployment({"args": ["m"], "env": [{"name": "X", "value": "0"}]}))
    before = msgspec.json.encode([m.value for m in on])

    drawn(on, {"do": "set-environment", "name": "X", "value": "1"})

    assert before == msgspec.json.encode([m.value for m in on])
