"""
A published cache into a folder, or the reason why not.

Nothing here may make a start fail that would have worked: whoever asks gets a sentence, and the
engine compiles for itself as it always did.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.caches.choosing import Choice, choose
from firstlight.caches.factors import Factors, briefly, unknown
from firstlight.caches.layout import archive_path
from firstlight.caches.manifest import Manifest
from firstlight.caches.relocating import check_place
from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.cache_target import CacheTarget
from firstlight.edges.cache_unpacking import Source, unpack
from firstlight.edges.object_store import ObjectStore
from firstlight.edges.ranges_ahead import RangesAhead
from firstlight.wiring.caching.refusals import in_our_words
from firstlight.wiring.caching.steps import Event, Progress, Told, nobody
from firstlight.wiring.caching.store import Listed, listed

_READ_WITHIN_S = 20.0
"""All manifests together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is wanted, and what it may cost."""

    into: Path
    here: Factors
    trusted: Sequence[bytes] | None
    """Public keys; None to believe anybody."""
    timeout_s: float
    most_bytes: int
    """Of the files that come out."""
    not_before_unix_s: int = 0
    """An older one is not taken: whoever can write to the store could bring an old one back."""
    replaces: bool = False
    """Whether what was filled here may be replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What came."""

    manifest: Manifest
    signed_by: str | None
    there_already: bool
    seconds: float


def pull(url: str, order: Order, progress: Progress = nobody) -> Pulled:
    """
    Take the cache that fits; nothing is raised but `FirstlightError`.

    Args:
        url: of the store.
        order: what is wanted.
        progress: is told each step.

    Raises:
        BadInput: none fits, or what there is may not be taken.
        OutsideFailed: the store or the file system refuses, the time is up, or we have a fault.
    """
    with in_our_words("pulling a cache"):
        return _pull(url, order, Told(progress))


def _pull(url: str, order: Order, told: Told) -> Pulled:
    deadline_s = time.monotonic() + order.timeout_s
    if missing := unknown(order.here):
        raise BadInput(
            f"it is not known for which engine: {', '.join(missing)}",
            remedy="give its command with --engine, or a file with --expect",
        )
    target = CacheTarget(order.into, replaces=order.replaces)
    target.check()
    target.sweep()
    over = target.check_free()
    told.tell(Event.LOOKING)
    store = ObjectStore(url, timeout_s=order.timeout_s)
    manifest, by = _chosen(store, order, deadline_s)
    told.tell(Event.CHOSEN, of=manifest.archive.size_bytes, key=manifest.key)
    if target.holds(manifest):
        return _pulled(manifest, by, told, there_already=True)
    there = target.note()
    if there is not None and there.key == manifest.key and there.made_unix_s > manifest.made_unix_s:
        raise BadInput(
            f"{url} offers an older cache of the key that is here already",
            remedy="see who wrote it",
        )
    check_place(manifest, str(order.into))
    if manifest.unpacked_bytes > order.most_bytes:
        raise BadInput(
            f"the cache has {manifest.unpacked_bytes} bytes, and --max-bytes allows "
            f"{order.most_bytes}",
            remedy="allow more",
        )
    target.check_room(manifest.unpacked_bytes, len(manifest.files))
    with target.growing() as growing:
        _fetched(store, manifest, growing.new, deadline_s, told)
        came = target.arrive(growing, manifest, over=over)
    return _pulled(manifest, by, told, there_already=not came)


def _chosen(store: ObjectStore, order: Order, deadline_s: float) -> tuple[Manifest, str | None]:
    """The cache to take, and the key that vouches for it."""
    # Half of the time is for the archive, and a cache that fits is not waited for behind others.
    within_s = min(_READ_WITHIN_S, (deadline_s - time.monotonic()) / 2)
    seen = list(listed(store, order.trusted, within_s=within_s))
    recent = [
        (one.manifest, one.signed_by)
        for one in seen
        if one.manifest is not None and one.manifest.made_unix_s >= order.not_before_unix_s
    ]
    manifests = [manifest for manifest, _ in recent]
    choice = choose(manifests, order.here)
    if choice.manifest is not None:
        # Several may have published one key.
        return recent[manifests.index(choice.manifest)]
    raise BadInput(
        f"none of {store.url} fits: {_why(seen, manifests, choice)}",
        remedy="publish one for this engine with `firstlight cache push`",
    )


def _why(seen: Sequence[Listed], recent: Sequence[Manifest], choice: Choice) -> str:
    if not seen:
        return "there is no cache"
    refused = [one.refused for one in seen if one.refused is not None]
    if not recent:
        return refused[0] if refused else "all are older than is allowed"
    counted = "the one there is" if len(recent) == 1 else f"the nearest of {len(recent)}"
    return f"{counted}: {briefly([one.line for one in choice.against])}"


def _fetched(
    store: ObjectStore, manifest: Manifest, growing: Path, deadline_s: float, told: Told
) -> None:
    path, size = archive_path(manifest.archive.name), manifest.archive.size_bytes

    def read_range(begin: int, end: int) -> bytes:
        return store.read_range(path, begin, end)

    with RangesAhead(read_range, size) as ahead:
        unpack(manifest, _Timed(ahead, manifest, deadline_s, told), growing)


class _Timed:
    """A source that gives up in time, and says how far it came."""

    def __init__(self, source: Source, manifest: Manifest, deadline_s: float, told: Told) -> None:
        self._source = source
        self._key = manifest.key
        self._size_bytes = manifest.archive.size_bytes
        self._deadline_s = deadline_s
        self._told = told
        self._read_bytes = 0

    def read(self, size: int, /) -> bytes:
        if time.monotonic() > self._deadline_s:
            raise _late(f"{self._read_bytes} of {self._size_bytes} bytes read")
        data = self._source.read(size)
        self._read_bytes += len(data)
        self._told.tell(Event.UNPACKING, done=self._read_bytes, of=self._size_bytes, key=self._key)
        return data


def _late(done: str) -> OutsideFailed:
    return OutsideFailed(f"the time is up with {done}", remedy="allow more with --timeout")


def _pulled(
    manifest: Manifest, signed_by: str | None, told: Told, *, there_already: bool
) -> Pulled:
    return Pulled(
        manifest=manifest,
        signed_by=signed_by,
        there_already=there_already,
        seconds=told.seconds,
    )
