"""The cards that come with firstlight, as the tests of this folder look at them."""

from typing import Any

import msgspec

from firstlight.edges.package_data import card_texts
from firstlight.techniques.card import Card
from firstlight.techniques.parameters import filled
from firstlight.wiring.cards import deck

TEXTS = card_texts()
DECK = deck()


def operation(technique: str, do: str, **values: object) -> dict[str, Any]:
    """The one operation of this kind, with its parameters filled in."""
    card = DECK.card(technique)
    [found] = [o for o in _operations(card) if o["do"] == do]
    defaults = {name: p.default for name, p in card.parameters.items() if p.default is not None}
    return dict(filled(found, defaults | values, technique=technique))


def _operations(card: Card) -> list[dict[str, Any]]:
    return list(msgspec.to_builtins(card.change.kubernetes.operations))
