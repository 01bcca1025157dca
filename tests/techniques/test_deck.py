"""The cards that come with firstlight, and what is refused in a card of one's own."""

import pytest

from firstlight.core.effects import EffectState
from firstlight.core.errors import BadInput
from firstlight.core.signs import Sign
from firstlight.techniques.card import Card
from firstlight.techniques.deck import REFERENCE_STEPS, read_deck
from firstlight.techniques.sources import Origin, Source
from tests.techniques.own_cards import DECK, TEXTS

BEYOND = {"worker-fork", "bytecode-cache", "startup-plan", "capture-sizes", "weight-daemon"}
DECISIONS = {
    "node-retention",
    "warm-pool",
    "soci-lazy",
    "ebs-weights",
    "ebs-compile-cache",
    "image-in-volume-snapshot",
}
KEEPERS = {"node-retention", "warm-pool"}
each_card = pytest.mark.parametrize("card", tuple(DECK), ids=lambda card: str(card.id))


def test_every_technique_and_every_decision_has_a_card() -> None:
    """The reference set, those beyond it, and one for each decision."""
    assert {*REFERENCE_STEPS} | BEYOND | DECISIONS == set(DECK.cards)


def test_the_figures_are_those_of_the_reference_case() -> None:
    """Every claim of the case with its two figures, and no figure where it gives none."""
    claims = {
        card.id: (card.claim.before_s, card.claim.after_s)
        for card in DECK
        if any(s.origin is Origin.REFERENCE_CASE for s in card.claim.sources)
    }

    assert {
        "fuse-mount": (None, None),
        "stream-weights": (127.6, 19.8),
        "compile-cache-local": (94.0, 29.6),
        "compile-cache-published": (94.0, 29.6),
        "image-prepull": (65.1, (32.2 + 39.8) / 2),
        "sleep-wake": (314, 0.97),
        "node-retention": (93, 0),
        "warm-pool": (93, 0),
        "soci-lazy": (None, None),
        "ebs-weights": (None, None),
        "ebs-compile-cache": (None, None),
    } == claims


@each_card
def test_nothing_is_said_without_a_source(card: Card) -> None:
    """Claim, proof, requirement, risk and decision: each says who found it and where."""
    said: list[tuple[Source, ...]] = [card.claim.sources, card.decision.sources]
    said += [sign.sources for sign in card.proof]
    said += [need.sources for need in card.requires]
    said += [risk.sources for risk in card.risks]

    assert all(said)
    assert all(one.where.strip() for sources in said for one in sources)


@each_card
def test_a_figure_is_never_ours(card: Card) -> None:
    """A judgement has no seconds: who measured a claim's figures is one of its sources."""
    measured = {Origin.REFERENCE_CASE, Origin.MEASURED, Origin.REPORTED}

    assert card.claim.before_s is None or measured & {s.origin for s in card.claim.sources}
    assert (card.claim.before_s is None) == (card.claim.after_s is None)


@each_card
def test_what_took_effect_can_be_seen(card: Card) -> None:
    """Each card says by which signs; those that offer a change have one that means applied.

    Who kept a node there, or whether anybody did, one start does not show.
    """
    offered = bool(card.change.kubernetes.operations) and card.id not in KEEPERS

    assert card.proof
    assert {sign.sign for sign in card.proof} <= {sign.value for sign in Sign}
    assert not offered or EffectState.APPLIED in {sign.means for sign in card.proof}


@each_card
def test_a_change_is_offered_or_refused_with_a_reason(card: Card) -> None:
    """One of both for Kubernetes; for a process words, a sentence before, or a reason."""
    kubernetes, process = card.change.kubernetes, card.change.process

    assert bool(kubernetes.operations) != bool(kubernetes.refused)
    assert process.arguments or process.environment or process.before or process.refused


@each_card
def test_conflicts_are_mutual(card: Card) -> None:
    """Who cannot go with another says so on both cards."""
    for other in card.excludes:
        assert card.id in DECK.card(other).excludes or card.id in DECK.card(other).replaces


def test_steps_build_on_earlier_steps_only() -> None:
    """The order of the reference case can be gone through."""
    for place, step in enumerate(REFERENCE_STEPS):
        assert set(DECK.card(step).builds_on) <= set(REFERENCE_STEPS[:place])


def test_an_unknown_technique_is_answered_with_the_nearest() -> None:
    """A slip of the finger is no riddle."""
    with pytest.raises(BadInput) as wrong:
        DECK.card("stream-weight")

    assert "no technique is called stream-weight" == wrong.value.message
    assert "did you mean stream-weights?" == wrong.value.remedy


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("id: startup-plan", "id: other", " line 1: its id is other, and its file is called"),
        ("claim:", "claims:", " line 8: it contains unknown field claims"),
        ("  keeps: 0", "  share: 0", " line 10: claim: it contains unknown field share"),
        ("sign: plan-applied", "sign: plan-made", " line 21: plan-made is no sign"),
        ("means: applied", "means: done", " line 22: proof.0.means: invalid enum value 'done'"),
        (
            '{do: set-environment, name: VLLM_ENABLE_STARTUP_PLAN, value: "1"}',
            '{do: set-environment, name: VLLM_ENABLE_STARTUP_PLAN, value: "${plan}"}',
            " line 15: plan is none of its parameters",
        ),
        (
            "proof:",
            "parameters:\n  plan: {says: which}\nproof:",
            " line 21: nothing uses its parameter plan",
        ),
        (
            "do: set-environment",
            "do: set-env",
            " line 17: change.kubernetes.operations.0.do: invalid value 'set-env'",
        ),
        ("engine_init/memory", "init/memory", " line 9: init/memory profiling is in no phase"),
        ("[compile-cache-local]", "[cache]", " line 41: no technique is called cache"),
        ("origin: ours", "origin: rumour", "origin: invalid enum value 'rumour'"),
        ("status: conditional", "status: maybe", "status: invalid enum value 'maybe'"),
        ("title:", "title: x\ntitle:", " is no card, line 3: title stands there a second time"),
        ("proof:", "proof: [", " is no card, line "),
    ],
)
def test_a_card_that_is_none_is_refused_with_its_line(old: str, new: str, why: str) -> None:
    """The sentence says which file, the line, and what in it."""
    assert old in TEXTS["startup-plan.yaml"]
    changed = TEXTS["startup-plan.yaml"].replace(old, new, 1)

    with pytest.raises(BadInput) as wrong:
        read_deck(TEXTS | {"startup-plan.yaml": changed})

    assert wrong.value.message.startswith("startup-plan.yaml")
    assert why in wrong.value.message
