"""
Folders into an archive, in one pass over their files.

What a compile cache is made of is plain files; a socket, a link or a lock that somebody holds is
left out and named. A file that changes while it is read is refused: half of what an engine is
about to finish is worse than nothing.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from msgspec.structs import replace

from firstlight.caches.manifest import Archive, File
from firstlight.caches.member_names import refusal
from firstlight.caches.tar_stream import END, header, padding
from firstlight.core.errors import BadInput, OutsideFailed

LEVEL = 3
PIECE_BYTES = 1024 * 1024
_THREADS = 2
"""One reads and digests, and so many pack."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_UNKNOWN = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What was written."""

    archive: Archive
    files: tuple[File, ...]
    """In the order of their paths, as they stand in it."""
    left_out: tuple[str, ...]
    """What is no plain file, in sentences."""


def pack(roots: Mapping[str, Path], out: BinaryIO, *, level: int = LEVEL) -> Packed:
    """
    Write an archive.

    Args:
        roots: by kind, with which the paths of their files begin.
        out: takes it.
        level: of zstd.

    Raises:
        BadInput: a file may not be in an archive, or changes while it is read.
        OutsideFailed: something cannot be read; what cannot be written is an `OSError` of `out`.
    """
    import zstandard  # noqa: PLC0415 - an extra

    sink = _Counted(out)
    files, left_out = [], []
    packer = zstandard.ZstdCompressor(level=level, write_checksum=True, threads=_THREADS)
    with packer.stream_writer(cast("BinaryIO", sink), closefd=False) as stream:
        for path, place, odd in sorted(_found(roots)):
            if odd is None:
                files.append(_one(path, place, stream))
            else:
                left_out.append(f"{place} is left out: it is {odd}")
        stream.write(END)
    archive = Archive(sha256=sink.digest.hexdigest(), size_bytes=sink.size_bytes)
    return Packed(archive=archive, files=tuple(files), left_out=tuple(left_out))


class _Counted:
    """Writes, and knows what was written."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self.digest = hashlib.sha256()
        self.size_bytes = 0

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        self.size_bytes += len(data)
        return self._out.write(data)

    def flush(self) -> None:
        """Nothing waits here."""


def _found(roots: Mapping[str, Path]) -> Iterator[tuple[str, str, str | None]]:
    """All that is in the folders: its path in the archive, its place, why it is no plain file."""
    for kind, root in roots.items():
        yield from _below(kind, str(root))


def _below(path: str, folder: str) -> Iterator[tuple[str, str, str | None]]:
    try:
        entries = list(os.scandir(folder))
    except OSError as broken:
        _unreadable(broken)
        raise
    for entry in entries:
        at = f"{path}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _below(at, entry.path)
        elif entry.is_file(follow_symlinks=False):
            yield at, entry.path, None
        else:
            yield at, entry.path, "a link" if entry.is_symlink() else "no plain file"


def _unreadable(broken: OSError) -> None:
    raise OutsideFailed(
        f"{broken.filename} cannot be read: {broken.strerror}",
        remedy="pack folders that this user can read",
    ) from broken


def _one(path: str, place: str, stream: Any) -> File:
    if why := refusal(path):
        raise BadInput(f"{path!r} cannot be in an archive: {why}", remedy="move it away")
    try:
        opened = os.open(place, _READ)
    except OSError as broken:
        _unreadable(broken)
        raise
    with open(opened, "rb", buffering=0) as file:  # noqa: PTH123 - it is open already
        before = os.fstat(opened)
        said = File(
            path=path,
            size_bytes=before.st_size,
            sha256=_UNKNOWN,
            executable=bool(before.st_mode & stat.S_IXUSR),
            mtime_s=max(0, int(before.st_mtime)),
        )
        stream.write(header(said))
        digest, left = hashlib.sha256(), before.st_size
        while left and (piece := file.read(min(left, PIECE_BYTES))):
            digest.update(piece)
            stream.write(piece)
            left -= len(piece)
        stream.write(padding(said))
        after = os.fstat(opened)
        changed = after.st_mtime_ns != before.st_mtime_ns or not stat.S_ISREG(after.st_mode)
        if left or changed or file.read(1):
            raise BadInput(
                f"{place} changes while it is packed",
                remedy="pack when the engine is ready and has answered a request",
            )
    return replace(said, sha256=digest.hexdigest())
