"""Being told to end while something must be put back, and changes that wait in line."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.edges.held_interrupts import HeldInterrupts
from firstlight.edges.queued_changes import QueuedChanges


def told(number: signal.Signals = signal.SIGTERM) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_raises_once(number: signal.Signals) -> None:
    """Whoever asks again does not interrupt the putting back; afterwards all is as before."""
    before = signal.getsignal(number)
    interrupts, put_back = HeldInterrupts(), False

    def work() -> None:
        nonlocal put_back
        with interrupts.raising_once():
            try:
                told(number)
                pytest.fail("it went on")
            finally:
                told(number)
                put_back = True

    with pytest.raises(KeyboardInterrupt, match=number.name):
        work()

    assert put_back
    assert before is signal.getsignal(number)


def test_it_waits_for_the_answer() -> None:
    """The change is sent and answered; then it raises."""
    interrupts, answered = HeldInterrupts(), False

    def work() -> None:
        nonlocal answered
        with interrupts.raising_once():
            with interrupts.held():
                told()
                with interrupts.held():
                    pass
                answered = True
            pytest.fail("it went on")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert answered


def test_what_went_wrong_inside_is_not_hidden() -> None:
    """An error in the held block comes first; the interrupt is not forgotten for it."""
    interrupts, went_on = HeldInterrupts(), False

    def refused() -> None:
        with interrupts.held():
            told()
            raise OutsideFailed("refused", remedy="")

    def work() -> None:
        nonlocal went_on
        with interrupts.raising_once():
            with pytest.raises(OutsideFailed):
                refused()
            went_on = True

    with pytest.raises(KeyboardInterrupt):
        work()
    assert went_on


def test_nobody_told_anything() -> None:
    """Then nothing happens."""
    interrupts = HeldInterrupts()
    with interrupts.raising_once(), interrupts.held():
        pass


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
