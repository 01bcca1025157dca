"""
The folder that a pulled cache comes to, whole or not at all.

It grows beside its place and comes there by a rename, so an engine that starts at any moment
finds all of it, or what was there before, or nothing.

Nothing goes away that was not pulled, unless whoever asks says so. That is looked at before the
fetch, because it is cheap, and again when the cache is here, because an engine may have started
to compile meanwhile: onto a folder with files nothing is renamed, and what changed its place is
looked at once more before it is removed. Of what was pulled, what is whole stays, with all that
an engine added: only another cache, or one that lost files, takes its place. Whether an engine is
using it just then cannot be seen; such an engine compiles again what it no longer finds.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from firstlight.caches.manifest import Manifest
from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.cache_contents import lacks, lacks_or_has_more
from firstlight.edges.cache_incoming import Incoming, arrived, incoming, one_at_a_time, sweep
from firstlight.edges.cache_note import Note, leave_note, note_bytes, read_note
from firstlight.edges.made_folders import MODE, make_folder
from firstlight.edges.unwritable import writing

_SPARE_BYTES = 64 * 1024 * 1024
_BLOCK_BYTES = 4096
_TRIES = 5


class CacheTarget:
    """A folder for a cache."""

    def __init__(self, folder: Path, *, replaces: bool = False) -> None:
        """
        A folder.

        Args:
            folder: where it comes to.
            replaces: whether what was not pulled may go.
        """
        self.folder = folder
        self._replaces = replaces

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

    def sweep(self) -> None:
        """Take away what those who were killed have left beside it."""
        sweep(self.folder)

    def check_free(self) -> bytes | None:
        """
        See that what is there may go.

        Returns:
            The note of the pulled cache that is there, for `arrive`; None for none.

        Raises:
            BadInput: it was not pulled.
            OutsideFailed: it cannot be looked at.
        """
        with writing(self.folder, done="read"):
            seen = note_bytes(self.folder)
            self._check_goes(self.folder, seen)
        return seen

    def note(self) -> Note | None:
        """Which pulled cache is there and can be relied on; None for anything else."""
        return read_note(self.folder)

    def holds(self, manifest: Manifest) -> bool:
        """Whether this very cache is there, and whole."""
        return _holds(self.folder, manifest)

    def check_room(self, bytes_: int, files: int) -> None:
        """
        See that so many bytes in so many files have room.

        Raises:
            OutsideFailed: they have not.
        """
        with writing(self.folder.parent):
            make_folder(self.folder.parent)
            free = os.statvfs(self.folder.parent)
        room, needed = free.f_bavail * free.f_frsize, bytes_ + files * _BLOCK_BYTES + _SPARE_BYTES
        if room < needed:
            raise OutsideFailed(
                f"{self.folder.parent} has {room // 2**20} MiB of room, and the cache needs "
                f"{needed // 2**20}",
                remedy="give the volume more room (sizeLimit, ephemeral-storage)",
            )

    @contextmanager
    def growing(self) -> Iterator[Incoming]:
        """
        An empty folder beside it, gone at the end unless it came to its place.

        Raises:
            OutsideFailed: it cannot be made.
        """
        parent = self.folder.parent
        with ExitStack() as made:
            with writing(parent):
                make_folder(parent)
                growing = made.enter_context(incoming(self.folder))
            yield growing

    def arrive(self, growing: Incoming, manifest: Manifest, *, over: bytes | None) -> bool:
        """
        Put what has grown in its place, and what was there away.

        Args:
            growing: has the cache in it.
            manifest: of that cache.
            over: what `check_free` saw; another pulled cache does not go for it.

        Returns:
            Whether it came there; False where another has brought the same meanwhile.

        Raises:
            BadInput: what is there now may not go; it stays.
            OutsideFailed: the file system refuses, or the cache is not whole any more; what was
                there is there.
        """
        if why := lacks_or_has_more(growing.new, manifest.files):
            raise OutsideFailed(
                f"what was unpacked beside {self.folder} was changed by another: it {why}",
                remedy="pull again, and let nothing else clean up there",
            )
        with writing(self.folder), one_at_a_time(self.folder.parent):
            leave_note(growing.new, manifest)
            growing.new.chmod(MODE)
            for _ in range(_TRIES):
                if arrived(growing.new, self.folder):
                    return True
                if self.holds(manifest):
                    return False
                self._check_goes(self.folder, over)
                if (old := growing.replace(self.folder)) is not None:
                    return self._is_kept(growing, old, manifest, over)
        raise OutsideFailed(
            f"{self.folder} is changed by others all the time", remedy="let one pull at a time"
        )

    def _is_kept(
        self, growing: Incoming, old: Path, manifest: Manifest, over: bytes | None
    ) -> bool:
        """Whether what changed places stays so; what came out is looked at again, in our hands."""
        try:
            stays = not _holds(old, manifest)
            if stays:
                self._check_goes(old, over)
        except BadInput:
            growing.take_back(old, self.folder)
            raise
        if stays:
            growing.let_go(old)
        else:
            growing.take_back(old, self.folder)
        return stays

    def _check_goes(self, folder: Path, over: bytes | None) -> None:
        if self._replaces or _is_empty(folder):
            return
        found = note_bytes(folder)
        if found is None:
            raise BadInput(
                f"{self.folder} has files in it that were not pulled, and they stay",
                remedy="say --replace if they may go",
            )
        if found != over:
            raise BadInput(
                f"another cache came to {self.folder} meanwhile, and it stays",
                remedy="pull again if it shall be replaced",
            )


def _holds(folder: Path, manifest: Manifest) -> bool:
    found = read_note(folder)
    return (
        found is not None
        and found.archive == manifest.archive.sha256
        and lacks(folder, manifest.files) is None
    )


def _is_empty(folder: Path) -> bool:
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        return next(entries, None) is None
    return True


def _is_anybodys(folder: Path) -> bool:
    mode = folder.stat().st_mode
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX
