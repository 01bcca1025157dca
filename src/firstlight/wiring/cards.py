"""
The deck of techniques that comes with firstlight, read once a process.
"""

from functools import cache

from firstlight.edges.package_data import card_texts
from firstlight.techniques.deck import Deck, read_deck


@cache
def deck() -> Deck:
    """Every technique there is a card for."""
    return read_deck(card_texts())
