"""
The order in which a cache is published, and what becomes of one that is there already.

The archive first, the manifest last and, where nothing lay in its place, only if nothing does yet.
So what can be found is whole at every moment, of ten that publish one key at once one wins, and
whoever is killed leaves nothing that anybody would take.

One that is there and whole stays. One that nobody could take, because it was damaged, somebody
else put it there or its archive is gone, is replaced: else it would block its key for good. That
write has no condition, so it is looked at once more right before: another may have healed it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from firstlight.caches.layout import Place, archive_path
from firstlight.caches.manifest import MOST_MANIFEST_BYTES, Manifest, canonical
from firstlight.caches.signatures import opened, public_of, sealed, signer_of
from firstlight.core.errors import BadInput, OutsideFailed

_TRIES = 3
"""Of a first write that is refused though nothing can be found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An object as far as whoever publishes may look."""

    size_bytes: int | None
    """None where there is none, or that may not be known."""
    hidden: bool = False
    """Whoever publishes may have the right to write, and no other."""


class Shelf(Protocol):
    """A store as whoever publishes sees it; a path is below its prefix."""

    def require_put_first(self) -> None: ...
    def put_first(self, path: str, data: bytes) -> bool: ...
    def put(self, path: str, data: bytes) -> None: ...
    def seen(self, path: str) -> Seen: ...

    def read_if_allowed(self, path: str, *, at_most: int) -> bytes | None:
        """None where there is none any more, or it may not be read."""


class State(StrEnum):
    """What lies in the place of a manifest."""

    NOTHING = "nothing"
    WHOLE = "whole"
    WRONG = "wrong"
    """Nobody could take it."""
    HIDDEN = "hidden"
    """Something or nothing: it may not be looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What lies in the place of a manifest, and why nobody could take it."""

    state: State
    wrong: str | None = None
    """A sentence; None where nothing is wrong with it, or nobody could look."""


_NOTHING, _HIDDEN, _WHOLE = (
    Found(state=state) for state in (State.NOTHING, State.HIDDEN, State.WHOLE)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What came of it."""

    published: bool
    """Whether it is ours that lies there now."""
    found: Found
    """What lay there before, or instead."""


def found(
    shelf: Shelf, key: str, private_keys: Sequence[bytes], *, replaces: bool = False
) -> Found:
    """
    What lies where a cache of this key would be published, before it is packed.

    Args:
        shelf: where.
        key: of the cache.
        private_keys: that would sign it.
        replaces: whether it will be published whatever is there.

    Raises:
        OutsideFailed: the store refuses, or does not know conditional writes.
    """
    lies, _ = _found(shelf, Place(key=key, signer=signer_of(private_keys)), private_keys)
    if lies.state is not State.WHOLE or replaces:
        shelf.require_put_first()
    return lies


def publish(
    manifest: Manifest,
    shelf: Shelf,
    upload: Callable[[str], None],
    *,
    private_keys: Sequence[bytes],
    replaces: bool = False,
) -> Published:
    """
    Publish a packed cache, unless a whole one by the same signer lies there.

    Args:
        manifest: of the archive.
        shelf: where.
        upload: brings the archive to a path there; harmless to repeat.
        private_keys: sign it; none for a cache that nobody vouches for.
        replaces: whether it is published whatever is there.

    Raises:
        BadInput: whoever pulls would not take it.
        OutsideFailed: the store refuses, or does not know conditional writes.
    """
    place = Place(key=manifest.key, signer=signer_of(private_keys))
    data = sealed(canonical(manifest), private_keys)
    opened(place.path, data, _publics(private_keys), at=place)
    # Asked once more, because packing took a while.
    before, lying = _found(shelf, place, private_keys)
    if before.state is State.WHOLE and not replaces:
        return Published(published=False, found=before)
    shelf.require_put_first()
    # Also where it is there already: what is wrong with it may be its bytes, and they are these.
    upload(archive_path(manifest.archive.name))
    if replaces:
        shelf.put(place.path, data)
        return Published(published=True, found=before)
    for _ in range(_TRIES):
        # And once more, because the upload did.
        lies, lying_now = _found(shelf, place, private_keys)
        if lying is not None and lying == lying_now:
            # It is no other one, even if it has an archive again, which is ours.
            lies = before
        if lies.state is State.WHOLE:
            return Published(published=False, found=lies)
        if lies.state is State.WRONG:
            shelf.put(place.path, data)
            return Published(published=True, found=lies)
        first = shelf.put_first(place.path, data)
        if first or lies.state is State.HIDDEN:
            return Published(published=first, found=lies)
        # Somebody was first, or there was a conflict, which S3 wants to be tried again.
    raise OutsideFailed(
        f"{place.path} cannot be found, though it is refused because it is there",
        remedy="see what lies there; --replace writes over it",
    )


def _found(shelf: Shelf, place: Place, private_keys: Sequence[bytes]) -> tuple[Found, bytes | None]:
    """What lies there, and its bytes as far as they were read."""
    there = shelf.seen(place.path)
    if there.hidden:
        return _HIDDEN, None
    if there.size_bytes is None:
        return _NOTHING, None
    most = 2 * MOST_MANIFEST_BYTES
    if there.size_bytes > most:
        return _wrong(f"it has {there.size_bytes} bytes, and no manifest has so many"), None
    data = shelf.read_if_allowed(place.path, at_most=most)
    if data is None:
        return _HIDDEN, None
    try:
        manifest, _ = opened(place.path, data, _publics(private_keys), at=place)
    except BadInput as wrong:
        return _wrong(wrong.message), data
    return _of_archive(shelf, manifest), data


def _publics(private_keys: Sequence[bytes]) -> Sequence[bytes] | None:
    return [public_of(one) for one in private_keys] or None


def _of_archive(shelf: Shelf, manifest: Manifest) -> Found:
    path = archive_path(manifest.archive.name)
    there, right = shelf.seen(path), manifest.archive.size_bytes
    if there.hidden:
        # S3 says so too of what is not there, to whoever may read and not list.
        return _wrong(f"{path} is not there, or may not be looked at")
    if there.size_bytes is None:
        return _wrong(f"{path} is not there")
    if there.size_bytes != right:
        return _wrong(f"{path} has {there.size_bytes} bytes, and {right} are right")
    return _WHOLE


def _wrong(why: str) -> Found:
    return Found(state=State.WRONG, wrong=why)
