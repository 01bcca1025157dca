"""
The folder that a pulled cache comes to, whole or not at all.

It grows beside its place and comes there by a rename, so an engine that starts at any moment
finds all of it, or what was there before, or nothing. Whoever is killed leaves a hidden folder
beside it, which the next one takes away: it holds a lock while it is growing, and a lock ends
with its process, in whatever container that ran.

What came from a store carries a note of which cache it is. A folder without one was filled by
an engine here, and is nobody's to replace unless they say so. The note also has the kernel's
boot id: after a crash of the node half-written pages may be all that is left of a file, and what
was pulled before is pulled again.
"""

import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import msgspec

from firstlight.core.cache_places import NOTE
from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.unwritable import writing

_MOST_NOTE_BYTES = 64 * 1024
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_SPARE_BYTES = 64 * 1024 * 1024
_BLOCK_BYTES = 4096
_MODE = 0o755


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which cache lies in a folder."""

    key: Annotated[str, msgspec.Meta(max_length=128)]
    archive: Annotated[str, msgspec.Meta(max_length=128)]
    made_unix_s: int
    boot_id: Annotated[str, msgspec.Meta(max_length=128)]


class CacheTarget:
    """A folder for a cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(self) -> None:
        """
        See that a cache may come here.

        Raises:
            BadInput: it is a link, a mount point, or anybody could put something else in its place.
        """
        place = self.folder
        if place.is_symlink():
            raise BadInput(f"{place} is a link", remedy="name the folder itself")
        if place.exists() and not place.is_dir():
            raise BadInput(f"{place} is no folder", remedy="name a folder")
        if os.path.ismount(place):
            raise BadInput(
                f"{place} is a mount point, and a cache comes to its place by a rename",
                remedy=f"name a folder in it: {place}/engine",
            )
        for one in (place, place.parent):
            # A volume of a pod is open to all who have it, and those are its own containers.
            if one.is_dir() and not os.path.ismount(one) and _is_anybodys(one):
                raise BadInput(
                    f"{one} can be written by anybody, and what is in a compile cache is run",
                    remedy=f"chmod o-w {one}, or name another folder",
                )

    def note(self) -> Note | None:
        """Which pulled cache is there and can be relied on; None for anything else."""
        with suppress(OSError, msgspec.DecodeError):
            with (self.folder / NOTE).open("rb") as file:
                found = msgspec.json.decode(file.read(_MOST_NOTE_BYTES), type=Note)
            if found.boot_id == boot_id():
                return found
        return None

    def is_somebodys(self) -> bool:
        """Whether there are files in it that were not pulled."""
        with suppress(OSError):
            return any(self.folder.iterdir()) and not (self.folder / NOTE).exists()
        return False

    def check_room(self, bytes_: int, files: int) -> None:
        """
        See that so many bytes in so many files have room.

        Raises:
            OutsideFailed: they have not.
        """
        with writing(self.folder.parent):
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            free = os.statvfs(self.folder.parent)
        room, needed = free.f_bavail * free.f_frsize, bytes_ + files * _BLOCK_BYTES + _SPARE_BYTES
        if room < needed:
            raise OutsideFailed(
                f"{self.folder.parent} has {room // 2**20} MiB of room, and the cache needs "
                f"{needed // 2**20}",
                remedy="give the volume more room (sizeLimit, ephemeral-storage)",
            )

    def sweep(self) -> None:
        """Take away what those who were killed have left beside it."""
        for path in self.folder.parent.glob(f"{self._prefix()}*"):
            with suppress(OSError):
                lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
                finally:
                    os.close(lock)

    @contextmanager
    def growing(self) -> Iterator[Path]:
        """
        An empty folder beside it, gone at the end unless it came to its place.

        Raises:
            OutsideFailed: it cannot be made.
        """
        parent = self.folder.parent
        with writing(parent):
            parent.mkdir(parents=True, exist_ok=True)
            growing, lock = self._locked()
        try:
            yield growing
        finally:
            shutil.rmtree(growing, ignore_errors=True)
            os.close(lock)

    def arrive(self, growing: Path, note: Note) -> None:
        """
        Put what has grown in its place, and what was there away.

        Raises:
            OutsideFailed: the file system refuses; then what was there is there.
        """
        with writing(self.folder):
            (growing / NOTE).write_bytes(msgspec.json.encode(note))
            growing.chmod(_MODE)
            # Onto an empty folder a rename is one step; a full one goes aside first.
            if self.folder.is_dir() and any(self.folder.iterdir()):
                aside = growing.with_name(f"{growing.name}.old")
                self.folder.rename(aside)
                try:
                    growing.rename(self.folder)
                except OSError:
                    aside.rename(self.folder)
                    raise
                shutil.rmtree(aside, ignore_errors=True)
            else:
                growing.rename(self.folder)

    def _prefix(self) -> str:
        return f".{self.folder.name}.incoming-"

    def _locked(self) -> tuple[Path, int]:
        while True:
            growing = self.folder.with_name(f"{self._prefix()}{secrets.token_hex(8)}")
            growing.mkdir(mode=0o700)
            lock = os.open(growing, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if growing.exists():
                return growing, lock
            # Somebody took it for abandoned before it was locked.
            os.close(lock)


def boot_id() -> str:
    """Another after each start of the kernel; empty where it does not tell."""
    with suppress(OSError):
        return _BOOT_ID.read_text("ascii").strip()
    return ""


def _is_anybodys(folder: Path) -> bool:
    mode = folder.stat().st_mode
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX
