"""
Joining explained starts to the cards of techniques.

The cards are read once, and only where there is a start to hold them against.
"""

from dataclasses import replace

from firstlight.core.starts import Start
from firstlight.explain.stakes import at_stake
from firstlight.techniques.effect import effects
from firstlight.wiring.cards import deck


def with_stakes(start: Start) -> Start:
    """The start, with what it shows of every technique and what has most to gain."""
    if not start.signs and not start.phases:
        return start
    cards = deck()
    shown = replace(start, effects=effects(cards, start.signs))
    return replace(shown, at_stake=at_stake(shown, cards))
