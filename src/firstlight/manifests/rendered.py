"""
What a rendering is, before it is written in one form or another.
"""

from dataclasses import dataclass

from firstlight.manifests.change import Change
from firstlight.manifests.objects import ObjectSet
from firstlight.techniques.card import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One technique on the objects that it was drawn on."""

    card: Card
    before: ObjectSet
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """Techniques on somebody's objects, one after the other."""

    before: ObjectSet
    """As they were given."""
    drawn: tuple[Drawn, ...]
    after: ObjectSet
    notes: tuple[str, ...] = ()
    """What there is to say about the objects themselves, in sentences."""

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(one.change for one in self.drawn)
