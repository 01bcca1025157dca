"""
Every two techniques of the deck that exclude each other, put into one manifest by their own cards.

The first is drawn, then the second over it, as if it did not know of the first. Either both are
there, and the rule says so; or the second has taken the first's place, and then no manifest can
show both: those pairs are listed, and docs/lint.md says why.
"""

from itertools import permutations
from pathlib import Path

import pytest
from msgspec.structs import replace

from firstlight.lint.linting import lint
from firstlight.lint.rules.techniques_exclude_each_other import RULE
from firstlight.lint.scene import scene
from firstlight.manifests.applying import applied
from firstlight.manifests.drawing import draw, has
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.techniques.card import Card
from firstlight.techniques.operations import SetArgument
from firstlight.wiring.cards import deck
from tests.lint.judging import objects_of
from tests.lint.rules.engines import engine

PAGE = Path(__file__).resolve().parents[3] / "docs" / "lint.md"
PAIRS = [
    (one.id, other.id)
    for one, other in permutations(deck(), 2)
    if other.id in one.excludes or one.id in other.excludes
]
NEVER_TOGETHER = {
    # Each says where the model is read, and an engine has one model.
    frozenset({"fuse-mount", "stream-weights"}),
    # Each is a value of --load-format, and the last one counts.
    frozenset({"stream-weights", "weight-daemon"}),
    # All of the daemon in an engine is a --load-format, and the mount's card takes it away; where
    # it stands all the same, nothing is read through the mount.
    frozenset({"fuse-mount", "weight-daemon"}),
}
GIVEN = {
    "model_uri": "s3://models/qwen",
    "bucket": "models",
    "bucket_prefix": "qwen",
    "region": "eu-west-1",
    "firstlight_image": "registry.example.com/firstlight:1.0",
}


def alone(card: Card) -> Card:
    """The card, as if it knew of no other."""
    return replace(card, excludes=[])


def drawn(card: Card, objects: ObjectSet) -> ObjectSet:
    """The objects with the technique; by its arguments alone where it is drawn on no manifest."""
    if card.change.kubernetes.refused is None:
        return applied(draw(alone(card), objects, deck=deck(), given=GIVEN), objects)
    (looked_at,) = scene(objects).engines
    words = [f"{name}={value}" for name, value in card.change.process.arguments.items()]
    looked_at.manifest.value["spec"]["template"]["spec"]["containers"][0]["args"] += words
    return ObjectSet(manifests=tuple(Manifest(value=m.value) for m in objects))


def is_there(card: Card, objects: ObjectSet) -> bool:
    if card.change.kubernetes.refused is None:
        return has(card, objects, given=GIVEN)
    (looked_at,) = scene(objects).engines
    wanted = card.change.process.arguments
    return all(looked_at.argument(name).value == value for name, value in wanted.items())


def both(first: str, second: str) -> ObjectSet:
    """An engine with the one, and then with the other."""
    cards = deck()
    start = objects_of(engine(model="/models/qwen", namespace="llm"))
    return drawn(cards.card(second), drawn(cards.card(first), start))


def test_the_deck_has_pairs_and_the_list_names_no_other() -> None:
    """Both ways round."""
    pairs = {frozenset(pair) for pair in PAIRS}

    assert NEVER_TOGETHER < pairs


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_that_can_be_together_are_found(first: str, second: str) -> None:
    """Whichever came first; and nothing is found where the second took the first's place."""
    objects = both(first, second)

    findings = lint(scene(objects, deck=deck()), [RULE]).findings

    never = frozenset({first, second}) in NEVER_TOGETHER
    assert ([] if never else [{first, second}]) == [
        {id_ for id_ in (first, second) if id_ in one.what} for one in findings
    ]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_is_listed_as_never_together_never_is(first: str, second: str) -> None:
    """The second is there, and with it the first is not."""
    objects = both(first, second)

    assert is_there(deck().card(second), objects)
    assert (frozenset({first, second}) not in NEVER_TOGETHER) == is_there(
        deck().card(first), objects
    )


def test_the_page_names_the_pairs_that_no_manifest_shows() -> None:
    """So that nobody waits for the rule to speak of them."""
    lines = PAGE.read_text().splitlines()

    for pair in NEVER_TOGETHER:
        assert any(all(f"`{one}`" in line for one in pair) for line in lines), pair


def test_the_rule_knows_a_technique_by_its_own_arguments() -> None:
    """A card that is drawn without one can only be seen by another rule."""
    without = {
        card.id
        for card in deck()
        if any(card.id in pair for pair in PAIRS)
        and card.change.kubernetes.operations
        and not any(isinstance(one, SetArgument) for one in card.change.kubernetes.operations)
    }

    assert {"fuse-mount"} == without
