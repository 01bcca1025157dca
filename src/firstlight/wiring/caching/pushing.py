"""
Folders onto a store: packed, keyed, signed, published.
"""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight import __version__
from firstlight.caches.factors import Factors, key, unknown
from firstlight.caches.layout import manifest_path
from firstlight.caches.manifest import SCHEMA, Manifest
from firstlight.caches.publishing import publish
from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.secrets import redacted_command
from firstlight.edges.cache_packing import Packed, pack
from firstlight.edges.object_store import ObjectStore
from firstlight.edges.unwritable import writing


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What came of it."""

    key: str
    manifest: Manifest | None
    """None where a cache of this key is there already; it stays."""
    left_out: tuple[str, ...] = ()
    seconds: float


def push(url: str, parcel: Parcel, progress: Callable[[str], None] = lambda _: None) -> Pushed:
    """
    Publish a cache.

    Args:
        url: of the store.
        parcel: what.
        progress: takes words for what is being waited for.

    Raises:
        BadInput: it is not known what the cache is for, or there is nothing in it.
        OutsideFailed: the store or the file system refuses.
    """
    began_s = time.monotonic()
    if missing := unknown(parcel.factors):
        raise BadInput(
            f"it is not known what this cache is for: {', '.join(missing)}",
            remedy="give the engine's command with --engine, or a file with --factors",
        )
    store, its_key = ObjectStore(url), key(parcel.factors)
    if store.has(manifest_path(its_key)):
        return Pushed(key=its_key, manifest=None, seconds=time.monotonic() - began_s)
    with tempfile.TemporaryDirectory(prefix="firstlight-cache-") as home:
        file = Path(home) / "archive.tar.zst"
        progress("packing")
        with writing(file), file.open("wb") as out:
            packed = pack(parcel.sources, out)
        manifest = _manifest(parcel, packed)
        progress(f"writing {packed.archive.size_bytes} bytes")
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
        seconds=time.monotonic() - began_s,
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
