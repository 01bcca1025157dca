"""
What rules look at: the objects, the engines in them, and what the user stated.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from firstlight.lint.engine import Engine, engines_of
from firstlight.lint.suppression import Suppression
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.techniques.deck import Deck


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What manifests cannot tell, as the user stated it; None where nobody did."""

    start_p95_s: float | None = None
    """From the container's start until its server answers, 95th percentile of measured starts."""
    start_p95_count: int | None = None
    """Of how many starts it was taken; None where the user gave the number itself."""
    model_bytes: int | None = None
    nat_price_per_gb: float | None = None
    """In the user's currency."""
    policies_enforced: bool | None = None
    """Whether the cluster's network plugin enforces NetworkPolicies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything a rule may look at."""

    objects: ObjectSet
    engines: tuple[Engine, ...]
    stated: Stated = field(default_factory=Stated)
    deck: Deck | None = None
    """The techniques; None where nobody gave them, and then no rule speaks of one."""
    suppressions: tuple[Suppression, ...] = ()
    codes: frozenset[str] = frozenset()
    """Every rule there is, for whoever looks at suppressions."""

    def of_kind(self, *kinds: str, group: str | None = None) -> Iterator[Manifest]:
        """
        Objects by kind, in order.

        Args:
            kinds: of what is wanted; other APIs may have kinds of the same name.
            group: of the API, empty for the core group; None for any.
        """
        for manifest in self.objects.of_kind(*kinds):
            if group is None or manifest.identity.group == group:
                yield manifest


def scene(
    objects: ObjectSet,
    stated: Stated | None = None,
    *,
    deck: Deck | None = None,
    suppressions: tuple[Suppression, ...] = (),
    codes: frozenset[str] = frozenset(),
) -> Scene:
    """The scene of these objects."""
    return Scene(
        objects=objects,
        engines=tuple(e for m in objects for e in engines_of(m, objects)),
        stated=stated or Stated(),
        deck=deck,
        suppressions=suppressions,
        codes=codes,
    )
