"""
What a start shows of a technique: the card's proof, held against the start's signs.

A technique that was configured is not reported as applied: without a sign nothing is known
of it. Where signs contradict each other (a cache that was restored, and an engine that
compiled) the worse one holds, for what was meant to happen did not happen to the end.
"""

from collections.abc import Sequence
from dataclasses import replace

from firstlight.core.effects import Effect, EffectState
from firstlight.core.evidence import Evidence
from firstlight.core.signs import Sign as Shown
from firstlight.core.signs import Signs
from firstlight.techniques.card import Card, Sign
from firstlight.techniques.deck import Deck

WORST_FIRST = (
    EffectState.VOID,
    EffectState.NOT_APPLIED,
    EffectState.RACED,
    EffectState.APPLIED,
)
"""Void before not applied: it says why."""


def effect(card: Card, signs: Signs) -> Effect:
    """
    What the signs of a start mean for a technique.

    Args:
        card: the technique.
        signs: those that the start shows.
    """
    seen = [sign for sign in card.proof if _evidence(sign, signs)]
    seen = [sign for sign in seen if sign.means in WORST_FIRST]
    if not seen:
        return Effect(
            technique=card.id,
            state=EffectState.UNKNOWN,
            says="nothing in the input shows whether it took effect",
        )
    state = min((sign.means for sign in seen), key=WORST_FIRST.index)
    telling = [sign for sign in seen if sign.means is state]
    against = [sign for sign in seen if sign.means is not state]
    says = ", ".join(sign.sign for sign in telling)
    if against:
        also = ", ".join(f"{sign.sign} ({sign.means.value})" for sign in against)
        says += f"; there is also {also}, and the worse of them holds"
    return Effect(
        technique=card.id,
        state=state,
        says=says,
        evidence=tuple(e for sign in telling for e in _evidence(sign, signs)),
    )


def effects(deck: Deck, signs: Signs) -> tuple[Effect, ...]:
    """Every technique of which the signs tell something."""
    told = [effect(card, signs) for card in deck]
    known = [one for one in told if one.state is not EffectState.UNKNOWN]
    return tuple(_with_lookalikes(one, known) for one in known)


def _with_lookalikes(one: Effect, known: Sequence[Effect]) -> Effect:
    """Said of an effect that others would have looked like: which of them it was is not told."""
    if one.state is not EffectState.APPLIED:
        return one
    alike = [
        other.technique
        for other in known
        if other.technique != one.technique
        and other.evidence == one.evidence
        and other.state is one.state
    ]
    also = f"; {' or '.join(alike)} would look the same" if alike else ""
    return replace(one, says=one.says + also)


def _evidence(sign: Sign, signs: Signs) -> tuple[Evidence, ...]:
    return signs.get(Shown(sign.sign), ())
