"""
What changed last below some folders, and when.

Files that are written, and folders that get or lose a name. What lies in the future is no change
but another clock's.
"""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

STAMP_S = 0.02
"""Stamps are late by up to so much: file systems take them from a clock that ticks slowly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The latest of all that is seen there."""

    at_unix_s: float
    place: str
    """The file or folder."""


def last_change(folders: Iterable[Path]) -> Change:
    """What changed last; the beginning of time where there is nothing."""
    now_s = time.time()
    latest = max((seen for seen in _changes(folders) if seen[0] <= now_s), default=(0.0, ""))
    return Change(at_unix_s=latest[0], place=latest[1])


def _changes(folders: Iterable[Path]) -> Iterator[tuple[float, str]]:
    """Each of them; pairs and strings, because there are thousands."""
    left = [str(folder) for folder in folders]
    while left:
        folder = left.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            yield os.stat(folder).st_mtime, folder  # noqa: PTH116 - as above
            for entry in entries:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        yield entry.stat(follow_symlinks=False).st_mtime, entry.path
                except OSError:
                    # Files come and go meanwhile.
                    continue
