"""
What the file system refuses, in our words.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firstlight.core.errors import OutsideFailed

ELSEWHERE = "name a folder that can be written, with room in it"
ROOM = "make room there, or name a folder with more"
_FULL = {errno.ENOSPC, errno.EDQUOT}


class Unwritable(OutsideFailed):
    """A file or folder that the file system refuses; what was written before is whole."""


@contextmanager
def writing(path: Path, *, done: str = "written", remedy: str = ELSEWHERE) -> Iterator[None]:
    """
    Writing at a place.

    Args:
        path: named where the refusal names nothing itself.
        done: what cannot be: `written`.
        remedy: what to do about it, where the disk is not simply full.

    Raises:
        Unwritable: it is refused.
    """
    try:
        yield
    except OSError as broken:
        raise Unwritable(
            f"{broken.filename or path} cannot be {done}: {broken.strerror}",
            remedy=ROOM if broken.errno in _FULL else remedy,
        ) from broken
