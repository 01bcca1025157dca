import os
import signal
import threading

import pytest

from firstlight.edges.interrupts import Interrupted, interrupts_raise


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_is_an_exception(number: signal.Signals) -> None:
    """It says which signal it was, and is a KeyboardInterrupt."""
    with pytest.raises(Interrupted) as caught:
        _told_to_end(number)

    assert number.name == str(caught.value)


def test_afterwards_the_handlers_are_those_from_before() -> None:
    """Only the block is concerned."""
    before = signal.getsignal(signal.SIGTERM)

    with interrupts_raise():
        within = signal.getsignal(signal.SIGTERM)

    assert (before, True) == (signal.getsignal(signal.SIGTERM), within is not before)


def test_what_nohup_made_ignored_stays_ignored() -> None:
    """Whoever started us so does not want us to end with the terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts_raise():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.SIG_IGN == signal.getsignal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_in_another_thread_nothing_is_changed() -> None:
    """Only the main thread can be interrupted."""
    seen: list[object] = []

    def work() -> None:
        with interrupts_raise():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert [signal.getsignal(signal.SIGTERM)] == seen


def _told_to_end(number: signal.Signals) -> None:
    with interrupts_raise():
        os.kill(os.getpid(), number)
        signal.pause()
