"""
Whether two sets differ by exactly one technique.

An experiment is worth something only when one thing was changed. So the change is drawn on
the first set, and what comes out is held against the second: any difference that is left is
one that nobody declared.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.manifests.applying import applied
from firstlight.manifests.differences import Difference, differences
from firstlight.manifests.drawing import draw
from firstlight.manifests.objects import Identity, ObjectSet
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck


def unexpected(
    deck: Deck,
    card: Card,
    before: ObjectSet,
    after: ObjectSet,
    *,
    given: Mapping[str, Any],
    target: Identity | None = None,
) -> tuple[Difference, ...]:
    """
    What differs beside the technique: none means that it is the only change.

    Raises:
        BadInput: the technique cannot be drawn on the first set.
    """
    change = draw(card, before, deck=deck, given=given, target=target)
    return differences(applied(change, before), after)
