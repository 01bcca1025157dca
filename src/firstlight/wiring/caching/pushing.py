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
from firstlight.caches.manifest import SCHEMA, Manifest
from firstlight.caches.publishing import Found, State, found, publish
from firstlight.core.cache_places import BYTECODE, holds_compiled
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

    sources: Callable[[], Mapping[str, Path]]
    """Gives folders, by how their paths begin in the archive. It is asked when the store is known
    to take a cache of this key, so whoever has to wait for an engine waits in it."""
    factors: Factors
    command: Sequence[str]
    """As the engine was started, for whoever asks why the cache does not fit."""
    private_keys: Sequence[bytes]
    most_bytes: int
    beside_engine: bool = False
    """Whether an engine runs that may still write to the folders."""
    replaces: bool = False
    """Whether it is published whatever is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What came of it."""

    key: str
    manifest: Manifest | None
    """None where one by the same signer is there already; it stays."""
    found: Found
    """What lay in its place."""
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
    lies = found(store, its_key, parcel.private_keys, replaces=parcel.replaces)
    if lies.state is State.WHOLE and not parcel.replaces:
        return Pushed(key=its_key, manifest=None, found=lies, seconds=told.seconds)
    sources = parcel.sources()
    told = told.again()
    with tempfile.TemporaryDirectory(prefix="firstlight-cache-") as home:
        file = Path(home) / "archive.tar.zst"
        packed = packed_at_rest(sources, file, told, beside_engine=parcel.beside_engine)
        manifest = _manifest(parcel, sources, packed)
        told.tell(Event.WRITING, of=packed.archive.size_bytes, key=its_key)
        done = publish(
            manifest,
            store,
            lambda path: store.put_file(path, file),
            private_keys=parcel.private_keys,
            replaces=parcel.replaces,
        )
    return Pushed(
        key=its_key,
        manifest=manifest if done.published else None,
        found=done.found,
        left_out=packed.left_out,
        seconds=told.seconds,
    )


def _manifest(parcel: Parcel, sources: Mapping[str, Path], packed: Packed) -> Manifest:
    if not any(_is_compiled(file.path) for file in packed.files):
        raise BadInput(
            "nothing in the caches was compiled",
            remedy="start the engine once and ask it something, and see with `firstlight cache "
            "where` that it writes to these folders",
        )
    manifest = Manifest(
        schema=SCHEMA,
        key=key(parcel.factors),
        factors=parcel.factors,
        archive=packed.archive,
        files=packed.files,
        roots={member.split("/")[0]: str(path) for member, path in sources.items()},
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


def _is_compiled(path: str) -> bool:
    kind, _, below = path.partition("/")
    return kind != BYTECODE and holds_compiled(below)
