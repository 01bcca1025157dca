"""
Documents into a set of objects.

The reader knows values and lines, a set knows objects. Here the one becomes the other, and a
set is seen to be one: an object that stands in it twice would be applied twice, and which of
the two is meant nobody knows.
"""

from collections.abc import Iterable

from firstlight.core.errors import BadInput
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.readers.marked_yaml import MarkedDocument


def manifests_of(artefact: str, objects: Iterable[MarkedDocument]) -> tuple[Manifest, ...]:
    """
    Objects of one text.

    Args:
        artefact: the name of the text, for whoever speaks of a line of it.
        objects: documents that are Kubernetes objects.
    """
    return tuple(Manifest(value=one.value, artefact=artefact, lines=one.lines) for one in objects)


def object_set(manifests: Iterable[Manifest]) -> ObjectSet:
    """
    The objects as a set.

    Raises:
        BadInput: one of them is there twice.
    """
    places: dict[Identity, Manifest] = {}
    kept = tuple(manifests)
    for manifest in kept:
        identity = manifest.identity
        if not identity.name:
            # What has only a generateName is a new object each time.
            continue
        if first := places.get(identity):
            raise BadInput(
                f"{identity} is there twice: {first.place()} and {manifest.place()}",
                remedy="give each object once; of several overlays, give the folder of one",
            )
        places[identity] = manifest
    return ObjectSet(manifests=kept)
