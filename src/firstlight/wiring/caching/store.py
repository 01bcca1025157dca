"""
What lies on a store, as far as it can be believed.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from firstlight.caches.layout import MANIFESTS, Place, place_of
from firstlight.caches.manifest import MOST_MANIFEST_BYTES, Manifest
from firstlight.caches.signatures import UNSIGNED, key_id, opened
from firstlight.core.errors import FirstlightError, OutsideFailed
from firstlight.edges.daemon_pool import DaemonPool
from firstlight.edges.object_store import ObjectStore

if TYPE_CHECKING:
    from concurrent.futures import Future

_AT_ONCE = 8
_MOST = 10_000
"""Of manifests in one place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A manifest, or why it counts for nothing."""

    path: str
    manifest: Manifest | None
    signed_by: str | None = None
    """The id of the key that vouches for it; None where nobody was asked."""
    refused: str | None = None


def listed(
    store: ObjectStore, trusted: Sequence[bytes] | None, *, within_s: float | None = None
) -> Iterator[Listed]:
    """
    Every manifest below a store's URL, several read at once.

    Whoever may write there may put anything there: what cannot be read counts for nothing and
    keeps nobody from the others. A manifest's name says who signed it, and those of strangers are
    not read at all.

    Args:
        store: where.
        trusted: public keys; None to believe anybody.
        within_s: so long it may take; what has not come by then is left out. None for as long as it
            takes.

    Raises:
        OutsideFailed: it cannot be listed, or not in time.
    """
    until_s = None if within_s is None else time.monotonic() + within_s
    places = _places(store, until_s)
    believed = None if trusted is None else frozenset(map(key_id, trusted))
    readers = DaemonPool(_AT_ONCE, name="manifest")
    try:
        while batch := list(islice(places, _AT_ONCE * _AT_ONCE)):
            read = partial(_one, store, trusted=trusted, believed=believed)
            reads = [(one, readers.submit(partial(read, one))) for one in batch]
            # Whoever stands behind one that hangs may be there already.
            yield from [_read(place, read, until_s) for place, read in reads]
            if until_s is not None and time.monotonic() > until_s:
                return
    finally:
        readers.leave()


def _places(store: ObjectStore, until_s: float | None) -> Iterator[Place]:
    """In the order of their names, so that two who look see the same."""
    paths = []
    for entry in store.entries(MANIFESTS):
        paths.append(entry.path)
        if len(paths) > _MOST or (until_s is not None and time.monotonic() > until_s):
            raise OutsideFailed(
                f"{store.url} has {len(paths)} manifests and more, and they are not all listed yet",
                remedy="take away those that nobody needs, or use another prefix",
            )
    return iter([place for path in sorted(paths) if (place := place_of(path)) is not None])


def _read(place: Place, read: "Future[Listed]", until_s: float | None) -> Listed:
    left_s = None if until_s is None else max(0.0, until_s - time.monotonic())
    try:
        return read.result(left_s)
    except TimeoutError:
        return Listed(path=place.path, manifest=None, refused=f"{place.path} did not come in time")


def _one(
    store: ObjectStore,
    place: Place,
    trusted: Sequence[bytes] | None,
    believed: frozenset[str] | None,
) -> Listed:
    path = place.path
    artefact = f"{store.url}/{path}"
    if believed is not None and place.signer not in believed:
        signed = "signed by anybody who is trusted here"
        why = "signed" if place.signer == UNSIGNED else signed
        return Listed(path=path, manifest=None, refused=f"{artefact} is not {why}")
    try:
        data = store.read(path, at_most=2 * MOST_MANIFEST_BYTES)
        if data is None:
            return Listed(path=path, manifest=None, refused=f"{artefact} is gone")
        manifest, by = opened(artefact, data, trusted, at=place)
    except FirstlightError as wrong:
        return Listed(path=path, manifest=None, refused=wrong.message)
    return Listed(path=path, manifest=manifest, signed_by=by)
