"""
What somebody gave to be changed or looked at: objects, wherever they came from.
"""

from dataclasses import dataclass

from firstlight.edges.manifest_files import ManifestFile
from firstlight.manifests.objects import ObjectSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Objects, and what there is to say about how they were had."""

    objects: ObjectSet
    notes: tuple[str, ...] = ()
    """What was left out or could not be read, in sentences."""
    files: tuple[ManifestFile, ...] = ()
    """The texts that the objects were read from, for whoever looks at comments."""
