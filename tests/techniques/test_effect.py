"""What signs mean by a card, where there are none, one, or several that disagree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.effects import EffectState
from firstlight.core.evidence import Evidence
from firstlight.core.signs import Sign, Signs
from firstlight.techniques.card import Card
from firstlight.techniques.effect import WORST_FIRST, effect, effects
from firstlight.wiring.cards import deck

DECK = deck()


def shows(*signs: Sign) -> Signs:
    return {sign: (Evidence(artefact="a.log", line=3, text=f"words of {sign}"),) for sign in signs}


@pytest.mark.parametrize(
    ("technique", "signs", "state"),
    [
        ("stream-weights", [Sign.WEIGHTS_STREAMED], EffectState.APPLIED),
        ("stream-weights", [Sign.WEIGHTS_FROM_FILES], EffectState.NOT_APPLIED),
        ("compile-cache-local", [Sign.CACHE_HIT], EffectState.APPLIED),
        ("compile-cache-local", [Sign.CACHE_MISSED], EffectState.NOT_APPLIED),
        ("compile-cache-published", [Sign.CACHE_HIT, Sign.CACHE_RESTORED], EffectState.APPLIED),
        (
            "compile-cache-published",
            [Sign.CACHE_RESTORED, Sign.CACHE_MISSED],
            EffectState.NOT_APPLIED,
        ),
        ("compile-cache-published", [Sign.CACHE_NOT_RESTORED], EffectState.NOT_APPLIED),
        (
            "compile-cache-published",
            [Sign.CACHE_HIT, Sign.CACHE_NOT_RESTORED],
            EffectState.NOT_APPLIED,
        ),
        ("compile-cache-local", [Sign.CACHE_HIT, Sign.CACHE_NOT_RESTORED], EffectState.APPLIED),
        ("image-prepull", [Sign.IMAGE_PRESENT], EffectState.APPLIED),
        ("image-prepull", [Sign.IMAGE_RACED], EffectState.RACED),
        ("image-prepull", [Sign.IMAGE_OTHER], EffectState.VOID),
        ("image-prepull", [Sign.IMAGE_PULLED], EffectState.NOT_APPLIED),
        ("image-prepull", [Sign.IMAGE_PULLED, Sign.IMAGE_OTHER], EffectState.VOID),
        ("sleep-wake", [Sign.WOKE], EffectState.APPLIED),
        ("startup-plan", [Sign.PLAN_APPLIED], EffectState.APPLIED),
        ("startup-plan", [Sign.PLAN_NOT_APPLIED], EffectState.NOT_APPLIED),
        ("startup-plan", [Sign.PLAN_APPLIED, Sign.PLAN_NOT_APPLIED], EffectState.NOT_APPLIED),
        ("worker-fork", [Sign.WORKER_FORKED], EffectState.APPLIED),
        ("worker-fork", [Sign.WORKER_SPAWNED], EffectState.NOT_APPLIED),
        ("bytecode-cache", [Sign.BYTECODE_READ], EffectState.APPLIED),
        ("capture-sizes", [Sign.CAPTURE_LIMITED], EffectState.APPLIED),
        ("node-retention", [Sign.NODE_WAS_MADE], EffectState.NOT_APPLIED),
    ],
)
def test_signs_decide_and_the_worse_of_them_holds(
    technique: str, signs: list[Sign], state: EffectState
) -> None:
    """By the cards that come with firstlight."""
    assert state == effect(DECK.card(technique), shows(*signs)).state


@pytest.mark.parametrize("card", tuple(DECK), ids=lambda card: card.id)
def test_without_a_sign_nothing_is_known_of_any_technique(card: Card) -> None:
    """Configured is not applied."""
    nothing = effect(card, {})

    assert [EffectState.UNKNOWN, ()] == [nothing.state, nothing.evidence]


@pytest.mark.parametrize("card", tuple(DECK), ids=lambda card: card.id)
def test_what_is_applied_has_evidence(card: Card) -> None:
    """Whatever signs a start shows, a state that is known quotes something."""
    for sign in Sign:
        told = effect(card, shows(sign))

        assert (told.state is not EffectState.UNKNOWN) == bool(told.evidence)


def test_a_contradiction_is_said() -> None:
    """Both signs, and which of them holds; only its evidence is quoted."""
    told = effect(
        DECK.card("compile-cache-published"), shows(Sign.CACHE_RESTORED, Sign.CACHE_MISSED)
    )

    assert (
        "cache-missed; there is also cache-restored (applied), and the worse of them holds"
        == told.says
    )
    assert ["words of cache-missed"] == [e.text for e in told.evidence]


def test_only_techniques_of_which_something_is_known_are_told() -> None:
    """A hit tells of the cache alone."""
    told = effects(DECK, shows(Sign.CACHE_HIT))

    assert ["compile-cache-local"] == [one.technique for one in told]


def test_a_node_that_was_there_is_nobodys_proof() -> None:
    """Who kept it, one start does not show."""
    assert () == effects(DECK, shows(Sign.NODE_WAS_THERE))


def test_effects_that_look_the_same_name_each_other() -> None:
    """An image on a new node may have come from user data or with the node's disk."""
    told = {one.technique: one.says for one in effects(DECK, shows(Sign.IMAGE_PRESENT))}

    assert "image-in-volume-snapshot would look the same" in told["image-prepull"]
    assert "image-prepull would look the same" in told["image-in-volume-snapshot"]


@given(st.sets(st.sampled_from(Sign)))
def test_more_signs_never_make_an_effect_better(signs: set[Sign]) -> None:
    """Whatever is shown, the state is the worst that one of the signs alone gives."""
    order = list(WORST_FIRST)
    for card in DECK:
        alone = [effect(card, shows(sign)).state for sign in signs]
        known = [state for state in alone if state is not EffectState.UNKNOWN]

        worst = min(known, key=order.index, default=EffectState.UNKNOWN)
        assert worst == effect(card, shows(*signs)).state
