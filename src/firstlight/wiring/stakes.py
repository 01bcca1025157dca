"""
Joining explained starts to the cards of techniques.

The cards are read once, and only where there is a start to hold them against.
"""

from dataclasses import replace
from functools import cache

from firstlight.core.starts import Start
from firstlight.edges.card_files import card_texts
from firstlight.explain.stakes import at_stake
from firstlight.techniques.deck import Deck, read_deck
from firstlight.techniques.effect import effects


def with_stakes(start: Start) -> Start:
    """The start, with what it shows of every technique and what has most to gain."""
    if not start.signs and not start.phases:
        return start
    deck = _deck()
    stakes = at_stake(start, deck) if start.engine and start.phases else None
    return replace(start, effects=effects(deck, start.signs), at_stake=stakes)


@cache
def _deck() -> Deck:
    return read_deck(card_texts())
