"""
What somebody gave to be changed or looked at: objects, wherever they came from.
"""

from dataclasses import dataclass

from firstlight.manifests.objects import ObjectSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Objects, and what there is to say about how they were had."""

    objects: ObjectSet
    notes: tuple[str, ...] = ()
    """What was left out or could not be read, in sentences."""
