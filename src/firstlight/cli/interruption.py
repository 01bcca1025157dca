"""What an interrupted series of measurements leaves behind, said before the command ends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firstlight.cli.output import tell
from firstlight.core.errors import Interrupted


@contextmanager
def told_when_interrupted(
    finished: Callable[[], int], *, last: str, folder: Path
) -> Iterator[None]:
    """
    Say how many were finished, and where they are.

    Args:
        finished: how many were.
        last: what became of the one that was on.
        folder: where they are.
    """
    try:
        yield
    except KeyboardInterrupt:
        told = f"interrupted; {finished()} finished before, and {last}"
        tell(Interrupted(told, remedy=f"read them with `firstlight explain {folder}`"))
        raise
