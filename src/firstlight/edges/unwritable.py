"""
What the file system refuses, in our words.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firstlight.core.errors import OutsideFailed

ELSEWHERE = "name a folder that can be written, with room in it"


@contextmanager
def writing(path: Path, *, done: str = "written", remedy: str = ELSEWHERE) -> Iterator[None]:
    """
    Writing at a place.

    Args:
        path: named where the refusal names nothing itself.
        done: what cannot be: `written`.
        remedy: what to do about it.

    Raises:
        OutsideFailed: it is refused.
    """
    try:
        yield
    except OSError as broken:
        raise OutsideFailed(
            f"{broken.filename or path} cannot be {done}: {broken.strerror}", remedy=remedy
        ) from broken
