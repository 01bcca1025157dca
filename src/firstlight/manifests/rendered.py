"""
What a rendering is, before it is written in one form or another.
"""

from dataclasses import dataclass

from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.patching import patch
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
    warnings: tuple[str, ...] = ()
    """What nobody may miss who applies it: the first comments of the text."""

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(one.change for one in self.drawn)

    @property
    def whole(self) -> Change:
        """
        All techniques as one change of what was given.

        One patch for each object, because a program that takes patches takes one: of several
        documents kubectl reads the first, and says that it is done.
        """
        olds = {m.identity: m for m in self.before}
        news = {m.identity: m for m in self.after}
        patches = [
            ObjectPatch(target=identity, operations=operations)
            for identity, old in olds.items()
            if identity in news and (operations := patch(old.value, news[identity].value))
        ]
        return Change(
            technique=" + ".join(one.card.id for one in self.drawn),
            patches=tuple(patches),
            added=tuple(m for identity, m in news.items() if identity not in olds),
            removed=tuple(identity for identity in olds if identity not in news),
            assumptions=tuple(said for one in self.changes for said in one.assumptions),
        )
