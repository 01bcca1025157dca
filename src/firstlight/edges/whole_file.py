"""
A file that is whole or not there.

It grows beside its place and comes there by one rename, so nobody ever reads half of it, and
what was there before stays until then. It is on the disk before the call returns: what is
written down is what a run goes on from after a power cut.
"""

import os
from pathlib import Path

from firstlight.edges.unfinished import unfinished

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_OWNERS, _ALL = 0o600, 0o666


def write_whole(place: Path, data: bytes, *, private: bool = False) -> None:
    """
    The file, whole or not at all; nothing is left beside it.

    Args:
        place: where it comes to.
        data: all of it.
        private: whether it is for its owner's eyes only.

    Raises:
        OSError: the disk does not take it.
    """
    beside = unfinished(place)
    try:
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, _NEW, _OWNERS if private else _ALL), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(place.parent)


def sync_folder(folder: Path) -> None:
    """
    Put the names in a folder on the disk, which has pages of its own for them.

    Raises:
        OSError: the disk does not take it.
    """
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
