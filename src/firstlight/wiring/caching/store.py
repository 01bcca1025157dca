"""
What lies on a store, as far as it can be believed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstlight.caches.layout import MANIFESTS, Place, place_of
from firstlight.caches.manifest import MOST_MANIFEST_BYTES, Manifest
from firstlight.caches.signatures import opened
from firstlight.core.errors import BadInput
from firstlight.edges.object_store import ObjectStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A manifest, or why it counts for nothing."""

    path: str
    manifest: Manifest | None
    signed_by: str | None = None
    """The id of the key that vouches for it; None where nobody was asked."""
    refused: str | None = None


def listed(store: ObjectStore, trusted: Sequence[bytes] | None) -> Iterator[Listed]:
    """
    Every manifest below a store's URL.

    Args:
        store: where.
        trusted: public keys; None to believe anybody.

    Raises:
        OutsideFailed: it cannot be listed, or one cannot be read.
    """
    paths = sorted(entry.path for entry in store.entries(MANIFESTS))
    for path in paths:
        if (place := place_of(path)) is not None:
            yield _one(store, place, trusted)


def _one(store: ObjectStore, place: Place, trusted: Sequence[bytes] | None) -> Listed:
    path = place.path
    artefact = f"{store.url}/{path}"
    try:
        data = store.read(path, at_most=2 * MOST_MANIFEST_BYTES)
        if data is None:
            return Listed(path=path, manifest=None, refused=f"{artefact} is gone")
        manifest, by = opened(artefact, data, trusted, under=place.signer)
    except BadInput as wrong:
        return Listed(path=path, manifest=None, refused=wrong.message)
    if manifest.key != place.key:
        # Somebody who may write, and not sign, put it there.
        why = f"{artefact} is the manifest of another key"
        return Listed(path=path, manifest=None, refused=why)
    return Listed(path=path, manifest=manifest, signed_by=by)
