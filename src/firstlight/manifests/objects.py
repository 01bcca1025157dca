"""
The objects somebody runs, as a set.

They come from files, from a cluster, or from an intent, and are plain JSON values either
way. A set keeps their order; an object in it is found by kind, namespace and name, because
that is what `kubectl apply` and kustomize go by.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One object and where it was written."""

    value: Value
    artefact: str = ""
    """The file; empty where no file holds it."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line that a JSON pointer's value begins in, from 1; empty where no file holds it."""

    @property
    def identity(self) -> Identity:
        meta = self.value.get("metadata") or {}
        group, slash, _ = str(self.value.get("apiVersion") or "").partition("/")
        return Identity(
            kind=str(self.value.get("kind") or ""),
            name=str(meta.get("name") or ""),
            namespace=str(meta.get("namespace") or ""),
            group=group if slash else "",
        )

    def place(self, pointer: str = "") -> str:
        """Where a value stands, for a sentence: `deploy.yaml line 12`, or the object's name."""
        line = self.lines.get(nearest(pointer, self.lines))
        return f"{self.artefact} line {line}" if self.artefact and line else str(self.identity)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSet:
    """Objects in order."""

    manifests: tuple[Manifest, ...]

    def __iter__(self) -> Iterator[Manifest]:
        return iter(self.manifests)

    def of_kind(self, *kinds: str) -> tuple[Manifest, ...]:
        return tuple(m for m in self.manifests if m.identity.kind in kinds)

    def get(self, identity: Identity) -> Manifest | None:
        return next((m for m in self.manifests if m.identity == identity), None)
