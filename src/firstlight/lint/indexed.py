"""
A set of objects that is looked up often.

Each rule asks for kinds, once for every engine; in a set of thousands of objects that must not
be a walk over all of them each time.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from firstlight.manifests.objects import Identity, Manifest, ObjectSet


@dataclass(frozen=True, kw_only=True)
class IndexedObjects(ObjectSet):
    """Objects in order, found by kind and by identity at once."""

    def of_kind(self, *kinds: str) -> tuple[Manifest, ...]:
        if len(kinds) == 1:
            return tuple(m for _, m in self._by_kind.get(kinds[0], ()))
        rows = (self._by_kind.get(kind, ()) for kind in dict.fromkeys(kinds))
        return tuple(m for _, m in sorted(chain.from_iterable(rows), key=lambda one: one[0]))

    def get(self, identity: Identity) -> Manifest | None:
        return self._by_identity.get(identity)

    @cached_property
    def _by_kind(self) -> dict[str, list[tuple[int, Manifest]]]:
        found: dict[str, list[tuple[int, Manifest]]] = {}
        for at, manifest in enumerate(self.manifests):
            found.setdefault(manifest.identity.kind, []).append((at, manifest))
        return found

    @cached_property
    def _by_identity(self) -> dict[Identity, Manifest]:
        # The first of several counts, as it does where the set is gone through.
        return {manifest.identity: manifest for manifest in reversed(self.manifests)}
