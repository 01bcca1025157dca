"""
Whether the technique that a comparison is about took effect on its second side.

Seconds alone do not say so: a start may be faster for another reason while the cache it was to
find was missed. So each round that counts is searched for the signs of the card, and one round
that shows the contrary is enough: then whatever moved, it was not the technique.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from firstlight.compare.sets import RoundSet
from firstlight.compare.verdict import Verdict
from firstlight.core.effects import EffectState
from firstlight.techniques.card import Card
from firstlight.techniques.effect import effect

OFF = frozenset({EffectState.NOT_APPLIED, EffectState.VOID})
"""What a round shows that the technique took no effect in."""


def with_effect(document: Mapping[str, Any], card: Card, second: RoundSet) -> dict[str, Any]:
    """
    The document of a comparison, with what the rounds after the change show of the technique.

    Args:
        document: of the comparison.
        card: the technique.
        second: the rounds after the change.
    """
    shown = {one.name: effect(card, one.start.signs) for one in second.counted}
    off = {name: one for name, one in shown.items() if one.state in OFF}
    return {
        **document,
        "verdict": Verdict.NOT_APPLIED.value if off else document["verdict"],
        "not_applied": bool(off),
        "effect": {
            "technique": card.id,
            "rounds": dict(Counter(one.state.value for one in shown.values())),
            "says": list(dict.fromkeys(one.says for one in (off or shown).values())),
        },
    }
