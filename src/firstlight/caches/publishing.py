"""
The order in which a cache is published.

The archive first, the manifest last and only where no other has its key. So what can be found is
whole at every moment, of ten that publish one key at once one wins, and whoever is killed leaves
nothing that anybody would take.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from firstlight.caches.layout import archive_path, manifest_path
from firstlight.caches.manifest import Manifest, canonical
from firstlight.caches.signatures import sealed


class Shelf(Protocol):
    """A store as whoever publishes sees it; a path is below its prefix."""

    def require_put_first(self) -> None: ...
    def put_first(self, path: str, data: bytes) -> bool: ...

    def has(self, path: str) -> bool | None:
        """None where whoever publishes may write and not look."""


class Upload(Protocol):
    """Writes the archive to a path."""

    def __call__(self, path: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What came of it."""

    key: str
    first: bool
    """Whether it is ours that lies there; False where somebody else's did already."""


def publish(
    manifest: Manifest, shelf: Shelf, upload: Upload, *, private_keys: Sequence[bytes]
) -> Published:
    """
    Publish a packed cache.

    Args:
        manifest: of the archive.
        shelf: where.
        upload: brings the archive there; harmless to repeat.
        private_keys: sign it; none for a cache that nobody vouches for.

    Raises:
        OutsideFailed: the store refuses, or does not know conditional writes.
    """
    path = manifest_path(manifest.key)
    shelf.require_put_first()
    # Where nobody may look, the write below decides.
    if shelf.has(path):
        return Published(key=manifest.key, first=False)
    upload(archive_path(manifest.archive.name))
    first = shelf.put_first(path, sealed(canonical(manifest), private_keys))
    return Published(key=manifest.key, first=first)
