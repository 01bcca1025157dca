"""Changes that wait in line."""

import threading
import time
from collections.abc import Iterator

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.edges.queued_changes import QueuedChanges


class Watch:
    """Tells what it is given, then waits to be stopped, or breaks."""

    def __init__(self, *told: int, breaks: Exception | None = None) -> None:
        self.reconnected, self.relisted = 3, 1
        self._told = told
        self._breaks = breaks
        self._stopped = threading.Event()

    def __iter__(self) -> Iterator[int]:
        yield from self._told
        if self._breaks is not None:
            raise self._breaks
        self._stopped.wait()

    def stop(self) -> None:
        self._stopped.set()


def soon() -> int:
    return time.monotonic_ns() + 20_000_000


def test_changes_come_in_order_and_in_time() -> None:
    """The time is looked at while nothing happens."""
    changes = QueuedChanges(Watch(1, 2))

    assert [1, 2, None, None] == [changes.next(until_ns=soon()) for _ in range(4)]
    assert (3, 1) == (changes.reconnected, changes.relisted)
    changes.stop()
    assert None is changes.next(until_ns=soon())
    assert not [one for one in threading.enumerate() if one.name == "watch"]


def test_what_ends_a_watch_is_told_after_all_before() -> None:
    """In the thread of whoever takes the changes, again and again."""
    changes = QueuedChanges(Watch(1, breaks=OutsideFailed("gone", remedy="look")))

    assert 1 == changes.next(until_ns=soon())
    for _ in range(2):
        with pytest.raises(OutsideFailed, match="gone"):
            changes.next(until_ns=soon())
    changes.stop()
