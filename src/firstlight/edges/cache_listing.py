"""
What lies in the cache folders: path, size and time of every file.

Taken before and after a start, two listings show which files it wrote, and that
is how a cache hit is told from a fill when the engine says neither. Caches are
alive: files vanish while we look, folders may not be ours to read. Links are
named but not followed, so a link to / lists one entry.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from firstlight.core.cache_places import NOTE

_MOST_NOTE_BYTES = 64 * 1024
MOST_FILES = 200_000
"""Of all roots together; a listing that reaches it says that it is not complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """One file, as it was when we passed."""

    path: str
    """Below the root, with forward slashes."""
    bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRoot:
    """One folder and everything below it."""

    root: str
    exists: bool
    files: tuple[ListedFile, ...]
    """Sorted by path."""
    complete: bool
    """False where the limit was reached or a folder could not be read."""
    published: str | None = None
    """The key of the published cache that was pulled to it; None where none was."""
    published_in: str | None = None
    """The folder that it was pulled into, as a whole; None where none was."""


def list_caches(roots: Iterable[str], *, most_files: int = MOST_FILES) -> tuple[ListedRoot, ...]:
    """Every file below each of the roots, in the order of the roots."""
    left = most_files
    listed: list[ListedRoot] = []
    for root in roots:
        walk = _Walk(root)
        files: list[ListedFile] = []
        complete = True
        for found in walk.files():
            if not left:
                complete = False
                break
            files.append(found)
            left -= 1
        published, published_in = _published(root)
        listed.append(
            ListedRoot(
                root=root,
                exists=os.path.isdir(root),  # noqa: PTH112 - strings throughout, for speed
                files=tuple(sorted(files, key=lambda f: f.path)),
                complete=complete and not walk.unreadable,
                published=published,
                published_in=published_in,
            )
        )
    return tuple(listed)


def _published(root: str) -> tuple[str | None, str | None]:
    """What a note in the folder says, or in the one around it, and which of the two."""
    root = root.rstrip("/")
    for folder in (root, os.path.dirname(root)):  # noqa: PTH120 - strings, as above
        with suppress(OSError, ValueError), open(f"{folder}/{NOTE}", "rb") as file:  # noqa: PTH123
            told = json.loads(file.read(_MOST_NOTE_BYTES))
            key = told.get("key") if isinstance(told, dict) else None
            if isinstance(key, str):
                return key, folder
    return None, None


class _Walk:
    """Depth-first over a tree that changes meanwhile; `scandir` twice as fast as pathlib."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.unreadable = 0

    def files(self) -> Iterator[ListedFile]:
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(os.path.join(self._root, folder)) as entries:  # noqa: PTH118
                    found = list(entries)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                self.unreadable += 1
                continue
            for entry in found:
                path = f"{folder}/{entry.name}" if folder else entry.name
                try:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path)
                        continue
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield ListedFile(path=path, bytes=status.st_size, mtime_ns=status.st_mtime_ns)
