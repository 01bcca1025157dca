"""
Several inputs as one set of objects.

Pairs are what rules look at, and the two halves often stand in two files. An object that both
hold is one object where it says the same, and a contradiction where it does not.
"""

from collections.abc import Iterable

from firstlight.core.errors import BadInput
from firstlight.manifests.kubectl_words import named
from firstlight.manifests.objects import Identity, Manifest, ObjectSet


def joined(sets: Iterable[ObjectSet]) -> ObjectSet:
    """
    All objects of some sets, each once.

    Raises:
        BadInput: one stands in two of them and is not the same in both.
    """
    kept: list[Manifest] = []
    by_identity: dict[Identity, Manifest] = {}
    for manifest in (one for objects in sets for one in objects):
        identity = manifest.identity
        # What has only a generateName is a new object each time.
        first = by_identity.setdefault(identity, manifest) if identity.name else manifest
        if first is manifest:
            kept.append(manifest)
        elif first.value != manifest.value:
            raise BadInput(
                f"{named(identity)} is there twice and not the same: {first.place()} and "
                f"{manifest.place()}",
                remedy="give each object once; of several overlays, give the folder of one",
            )
    return ObjectSet(manifests=tuple(kept))
