"""
Folders onto a store: packed, keyed, signed, published.
"""

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight import __version__
from firstlight.caches.factors import Factors, key, unknown
from firstlight.caches.layout import manifest_path
from firstlight.caches.manifest import SCHEMA, Manifest
from firstlight.caches.publishing import publish
from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.secrets import redacted_command
from firstlight.edges.cache_packing import Packed
from firstlight.edges.object_store import ObjectStore
from firstlight.wiring.caching.refusals import in_our_words
from firstlight.wiring.caching.resting import packed_at_rest
from firstlight.wiring.caching.steps import Event, Progress, Told, nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """What is published."""

    sources: Mapping[str, Path]
    """Folders, by how their paths begin in the archive."""
    factors: Factors
    command: Sequence[str]
    """As the engine was started, for whoever asks why the cache does not fit."""
    private_keys: Sequence[bytes]
    most_bytes: int
    beside_engine: bool = False
    """Whether an engine runs that may still write to the folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What came of it."""

    key: str
    manifest: Manifest | None
    """None where a cache of this key is there already; it stays."""
    left_out: tuple[str, ...] = ()
    seconds: float


def push(url: str, parcel: Parcel, progress: Progress = nobody) -> Pushed:
    """
    Publish a cache; nothing is raised but `FirstlightError`.

    Args:
        url: of the store.
        parcel: what.
        progress: is told each step.

    Raises:
        BadInput: it is not known what the cache is for, or there is nothing in it.
        OutsideFailed: the store or the file system refuses, or we have a fault.
    """
    with in_our_words("publishing a cache"):
        return _push(url, parcel, Told(progress))


def _push(url: str, parcel: Parcel, told: Told) -> Pushed:
    if missing := unknown(parcel.factors):
        raise BadInput(
            f"it is not known what this cache is for: {', '.join(missing)}",
            remedy="give the engine's command with --engine, or a file with --factors",
        )
    store, its_key = ObjectStore(url), key(parcel.factors)
    if store.has(manifest_path(its_key)):
        return Pushed(key=its_key, manifest=None, seconds=told.seconds)
    with tempfile.TemporaryDirectory(prefix="firstlight-cache-") as home:
        file = Path(home) / "archive.tar.zst"
        packed = packed_at_rest(parcel.sources, file, told, beside_engine=parcel.beside_engine)
        manifest = _manifest(parcel, packed)
        told.tell(Event.WRITING, of=packed.archive.size_bytes, key=its_key)
        done = publish(
            manifest,
            store,
            lambda path: store.put_file(path, file),
            private_keys=parcel.private_keys,
        )
    return Pushed(
        key=its_key,
        manifest=manifest if done.first else None,
        left_out=packed.left_out,
        seconds=told.seconds,
    )


def _manifest(parcel: Parcel, packed: Packed) -> Manifest:
    if not packed.files:
        raise BadInput(
            "there is no file in the caches", remedy="start the engine once and ask it something"
        )
    manifest = Manifest(
        schema=SCHEMA,
        key=key(parcel.factors),
        factors=parcel.factors,
        archive=packed.archive,
        files=packed.files,
        roots={member.split("/")[0]: str(path) for member, path in parcel.sources.items()},
        made_unix_s=int(time.time()),
        made_by=__version__,
        engine_arguments=redacted_command(parcel.command),
    )
    if manifest.unpacked_bytes > parcel.most_bytes:
        raise OutsideFailed(
            f"the caches have {manifest.unpacked_bytes} bytes, and --max-bytes allows "
            f"{parcel.most_bytes}",
            remedy="allow more, or name fewer folders",
        )
    return manifest
