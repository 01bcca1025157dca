"""
An archive into a folder, believing nothing but its manifest.

The stream is what `caches.tar_stream` says that it must be, or it is refused at the first byte
that is another. Each file is held against its digest, the packed bytes against theirs. Nothing
is kept in memory but a few pieces, and an archive that unpacks to more than was said is left at
them. It writes below one folder only, by paths that the manifest's grammar allows, and opens no
file that is there already.

One thread unpacks, one makes the files, and one works out the digests of the large ones: each
takes about a third of the time.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from firstlight.caches.manifest import File, Manifest
from firstlight.caches.tar_stream import END, header, mode, padding
from firstlight.core.errors import BadInput
from firstlight.edges.made_folders import make_folder
from firstlight.edges.unwritable import writing

PIECE_BYTES = 1024 * 1024
_AHEAD = 8
"""So many unpacked pieces wait for who makes the files, and so many for their digest."""
_LARGE_BYTES = 64 * 1024
"""A smaller file's digest is there before another thread has taken it up."""
_WINDOW_BYTES = 128 * 1024 * 1024
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_REMEDY = "publish the cache anew with `firstlight cache push`; nothing of this one was used"


class Damaged(BadInput):
    """An archive that is not what its manifest says."""


class Source(Protocol):
    """Where an archive comes from: up to so many bytes, none at its end."""

    def read(self, size: int, /) -> bytes: ...


def unpack(manifest: Manifest, source: Source, folder: Path) -> None:
    """
    Write every file of an archive.

    Args:
        manifest: believed already.
        source: the archive's bytes.
        folder: an empty one of ours; after an error what is in it is worth nothing.

    Raises:
        Damaged: it is not the archive that the manifest is of.
        OutsideFailed: a file cannot be written.
    """
    import zstandard  # noqa: PLC0415 - an extra

    packed = _Counted(source)
    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
    stream = unpacker.stream_reader(cast("BinaryIO", packed), read_size=PIECE_BYTES, closefd=False)
    unpacking = ThreadPoolExecutor(1, thread_name_prefix="unpack")
    checking = ThreadPoolExecutor(1, thread_name_prefix="check")
    try:
        digests = _Digests(checking)
        _make(manifest, _Ahead(stream, unpacking), folder, digests)
        digests.check()
    except zstandard.ZstdError as broken:
        raise Damaged(f"the archive cannot be unpacked ({broken})", remedy=_REMEDY) from broken
    finally:
        unpacking.shutdown(cancel_futures=True)
        checking.shutdown(cancel_futures=True)
    packed.check(manifest)


class _Ahead:
    """Reads pieces of another source in a thread before they are asked for; none after an error."""

    def __init__(self, source: Any, thread: ThreadPoolExecutor) -> None:
        self._source = source
        self._thread = thread
        self._waiting: deque[Future[bytes]] = deque()
        self._piece = memoryview(b"")
        self._ended = False
        for _ in range(_AHEAD):
            self._ask()

    def read(self, size: int, /) -> memoryview:
        if not self._piece:
            self._piece = memoryview(self._waiting.popleft().result())
            self._ask()
        found, self._piece = self._piece[:size], self._piece[size:]
        return found

    def _ask(self) -> None:
        self._waiting.append(self._thread.submit(self._next))

    def _next(self) -> bytes:
        if self._ended:
            return b""
        self._ended = True
        piece: bytes = self._source.read(PIECE_BYTES)
        self._ended = not piece
        return piece


class _Counted:
    """Reads, and knows what was read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._digest = hashlib.sha256()
        self._size_bytes = 0

    def read(self, size: int) -> bytes:
        data = self._source.read(size)
        self._digest.update(data)
        self._size_bytes += len(data)
        return data

    def check(self, manifest: Manifest) -> None:
        """What is left of it must be nothing, and the whole of it what was said."""
        if self.read(1) or self._size_bytes != manifest.archive.size_bytes:
            raise Damaged("the archive has not the size that its manifest says", remedy=_REMEDY)
        if self._digest.hexdigest() != manifest.archive.sha256:
            raise Damaged("the archive has not the digest that its manifest says", remedy=_REMEDY)


class _Digests:
    """Holds files against their digests in a thread, not far behind who writes them."""

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self._thread = thread
        self._waiting: deque[Future[None]] = deque()

    def of(self, file: File) -> "_Digest":
        """One to be told of a file's pieces."""
        return _Digest(file, self._later if file.size_bytes >= _LARGE_BYTES else _now)

    def check(self) -> None:
        """
        Wait for all.

        Raises:
            Damaged: one is wrong.
        """
        while self._waiting:
            self._waiting.popleft().result()

    def _later(self, work: Callable[[], None]) -> None:
        if len(self._waiting) >= _AHEAD:
            self._waiting.popleft().result()
        self._waiting.append(self._thread.submit(work))


class _Digest:
    def __init__(self, file: File, do: Callable[[Callable[[], None]], None]) -> None:
        self._file = file
        self._do = do
        self._digest = hashlib.sha256()
        self._left = file.size_bytes

    def update(self, piece: memoryview) -> None:
        self._left -= len(piece)
        self._do(partial(self._digest.update, piece))

    def check(self) -> None:
        self._do(self._check)

    def _check(self) -> None:
        if self._left or self._digest.hexdigest() != self._file.sha256:
            raise Damaged(
                f"{self._file.path} in the archive is not what its publisher packed",
                remedy=_REMEDY,
            )


def _now(work: Callable[[], None]) -> None:
    work()


def _make(manifest: Manifest, stream: _Ahead, folder: Path, digests: _Digests) -> None:
    made: set[str] = set()
    for file in manifest.files:
        _expect(stream, header(file), file.path)
        parent = file.path.rpartition("/")[0]
        if parent not in made:
            with writing(folder / parent):
                make_folder(folder / parent)
            made.add(parent)
        _one(file, stream, folder / file.path, digests.of(file))
        _expect(stream, padding(file), file.path)
    _expect(stream, END, "the end")
    if stream.read(1):
        raise Damaged("the archive has more in it than its manifest says", remedy=_REMEDY)


def _expect(stream: _Ahead, wanted: bytes, where: str) -> None:
    if _whole(stream, len(wanted)) != wanted:
        raise Damaged(f"the archive is not what its manifest says, at {where}", remedy=_REMEDY)


def _whole(stream: _Ahead, size: int) -> bytes:
    """So many bytes, or all that are left."""
    found = bytes(stream.read(size))
    while len(found) < size and (piece := stream.read(size - len(found))):
        found += piece
    return found


def _one(file: File, stream: _Ahead, place: Path, digest: _Digest) -> None:
    left = file.size_bytes
    with writing(place):
        opened = os.open(place, _NEW, mode(file))
        try:
            while left and (piece := stream.read(min(left, PIECE_BYTES))):
                digest.update(piece)
                left -= len(piece)
                while piece:
                    piece = piece[os.write(opened, piece) :]
            os.utime(opened, (file.mtime_s, file.mtime_s))
            # The umask may have taken some away, and another user may have to read it.
            os.fchmod(opened, mode(file))
        finally:
            os.close(opened)
    digest.check()
