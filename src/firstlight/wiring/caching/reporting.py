"""
Word of how publishing ended, for the engine's container beside it.

It waits for that word before it lets its engine go, so it is left whatever happens: also when we
are told to end, and when what was asked for made no sense.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firstlight.caches.job_files import NOT_PUBLISHED, PUBLISHED
from firstlight.core.errors import FirstlightError
from firstlight.edges.interrupts import Interrupts
from firstlight.wiring.caching.shared_folder import SharedFolder


@contextmanager
def reporting(folder: Path | None) -> Iterator[SharedFolder | None]:
    """
    Leave word in a shared folder of how it ended, whatever happens within.

    Args:
        folder: None where there is none.

    Raises:
        BadInput: there is no such folder.
        OutsideFailed: it was published, and that cannot be written there.
    """
    if folder is None:
        yield None
        return
    shared = SharedFolder(folder)
    with Interrupts().raising():
        try:
            yield shared
        except BaseException as broken:
            _leave_not_published(shared, broken)
            raise
        shared.leave(PUBLISHED, "published", instead_of=NOT_PUBLISHED)


def _leave_not_published(shared: SharedFolder, broken: BaseException) -> None:
    words = broken.message if isinstance(broken, FirstlightError) else f"{broken}"
    try:
        words = words or type(broken).__name__
        shared.leave(NOT_PUBLISHED, words, instead_of=PUBLISHED)
    except FirstlightError as unwritable:
        # What is said is why there is no cache, not why nobody was told.
        broken.add_note(unwritable.message)
