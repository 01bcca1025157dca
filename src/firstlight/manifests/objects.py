"""
The objects somebody runs, as a set.

They come from files, from a cluster, or from an intent, and are plain JSON values either
way. A set keeps their order; an object in it is found by kind, namespace and name, because
that is what `kubectl apply` and kustomize go by.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from firstlight.manifests.kinds import group_of, kind_of
from firstlight.readers.json_pointer import nearest

Value = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What tells an object from the others of a set."""

    kind: str
    name: str
    namespace: str = ""
    """As written in the object; empty where it is not written."""
    group: str = ""
    """Of its apiVersion, without the version: empty for the core group."""

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """One object and where it was written; a changed object is a new one."""

    value: Value
    artefact: str = ""
    """The file; empty where no file holds it."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line that a JSON pointer's value begins in, from 1; empty where no file holds it."""

    @cached_property
    def identity(self) -> Identity:
        """What tells it from the others; asked for far more often than there are objects."""
        meta = self.value.get("metadata") or {}
        return Identity(
            kind=str(self.value.get("kind") or ""),
            name=str(meta.get("name") or ""),
            namespace=str(meta.get("namespace") or ""),
            group=group_of(self.value),
        )

    def place(self, pointer: str = "") -> str:
        """Where a value stands, for a sentence: `deploy.yaml line 12`, or the object's name."""
        line = self.lines.get(nearest(pointer, self.lines))
        return f"{self.artefact} line {line}" if self.artefact and line else str(self.identity)


@dataclass(frozen=True, kw_only=True)
class ObjectSet:
    """
    Objects in order, found by kind and by identity at once.

    Whoever looks at each of thousands of objects asks for others as often, and that must not
    be a walk over all of them each time.
    """

    manifests: tuple[Manifest, ...]

    def __iter__(self) -> Iterator[Manifest]:
        return iter(self.manifests)

    def of_kind(self, *kinds: str) -> tuple[Manifest, ...]:
        """Those of some kinds, in the set's order; not what other APIs call by the same names."""
        if len(kinds) == 1:
            return tuple(m for _, m in self._by_kind.get(kinds[0], ()))
        rows = (self._by_kind.get(kind, ()) for kind in dict.fromkeys(kinds))
        return tuple(m for _, m in sorted(chain.from_iterable(rows), key=lambda one: one[0]))

    def get(self, identity: Identity) -> Manifest | None:
        """The object of an identity, the first of several; None where there is none."""
        return self._by_identity.get(identity)

    @cached_property
    def _by_kind(self) -> dict[str, list[tuple[int, Manifest]]]:
        found: dict[str, list[tuple[int, Manifest]]] = {}
        for at, manifest in enumerate(self.manifests):
            found.setdefault(kind_of(manifest.value), []).append((at, manifest))
        return found

    @cached_property
    def _by_identity(self) -> dict[Identity, Manifest]:
        # Backwards, so that the first of several is the one that stays.
        return {manifest.identity: manifest for manifest in reversed(self.manifests)}
