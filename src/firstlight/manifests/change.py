"""
A change to a set of objects, as JSON patches (RFC 6902).

The patch is the change: what `render` prints, what a kustomize component holds and what the
rendered objects differ by are one value, so none can say more than the others. JSON patches
and not strategic merges, because lists without keys (arguments) would be replaced whole, and
then two techniques would undo each other; a `test` in front of a list index refuses to
patch a manifest that has changed since.
"""

from dataclasses import dataclass
from typing import Any

from firstlight.manifests.objects import Identity, Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPatch:
    """What changes in one object."""

    target: Identity
    operations: tuple[dict[str, Any], ...]
    """RFC 6902: op, path, value; never empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a technique changes in a set of objects."""

    technique: str
    patches: tuple[ObjectPatch, ...] = ()
    added: tuple[Manifest, ...] = ()
    removed: tuple[Identity, ...] = ()
    assumptions: tuple[str, ...] = ()
    """What was taken for granted, in sentences for whoever applies it."""
    prerequisites: tuple[str, ...] = ()
    """What has to be there first, with the values of these objects in its commands."""

    @property
    def is_empty(self) -> bool:
        """Whether the objects have the technique already."""
        return not (self.patches or self.added or self.removed)
