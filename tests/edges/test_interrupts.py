"""Being told to end: where the work is, once, and not while a change is on its way."""

import codecs
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.edges.interrupts import Interrupts


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Whoever was told to end is deaf for good; the next test is not."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def told(number: signal.Signals = signal.SIGTERM) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_raises_once(number: signal.Signals) -> None:
    """Whoever asks again interrupts neither the putting back nor the command's end."""
    put_back = False

    def work() -> None:
        nonlocal put_back
        with Interrupts().raising():
            try:
                told(number)
                pytest.fail("it went on")
            finally:
                told(number)
                put_back = True

    with pytest.raises(KeyboardInterrupt, match=number.name):
        work()

    assert put_back
    told(number)
    assert signal.SIG_IGN == signal.getsignal(number)


def test_its_name_is_kept_wherever_it_comes() -> None:
    """A codec wraps what is raised in it; whoever asks gets the signal's name all the same."""

    def asked_while_encoding(_: str, __: str = "strict") -> tuple[bytes, int]:
        told()
        return b"", 0

    coded = codecs.CodecInfo(asked_while_encoding, codecs.latin_1_decode, name="asked")
    codecs.register(find := {"asked": coded}.get)
    try:
        with pytest.raises(KeyboardInterrupt, match=r"^SIGTERM$"), Interrupts().raising():
            "a host".encode("asked")
    finally:
        codecs.unregister(find)


def test_it_waits_for_the_answer() -> None:
    """The change is sent and answered; then it raises."""
    interrupts, answered = Interrupts(), False

    def work() -> None:
        nonlocal answered
        with interrupts.raising():
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
    interrupts, went_on = Interrupts(), False

    def refused() -> None:
        with interrupts.held():
            told()
            raise OutsideFailed("refused", remedy="")

    def work() -> None:
        nonlocal went_on
        with interrupts.raising():
            with pytest.raises(OutsideFailed):
                refused()
            went_on = True

    with pytest.raises(KeyboardInterrupt):
        work()
    assert went_on


def test_nobody_told_anything() -> None:
    """Within, the handlers are ours; afterwards those from before; the work is done."""
    interrupts = Interrupts()
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]

    with interrupts.raising(), interrupts.held():
        seen = [signal.getsignal(number) for number in numbers]

    assert [True] * 3 == [one is not was for one, was in zip(seen, before, strict=True)]
    assert before == [signal.getsignal(number) for number in numbers]


def test_what_nohup_made_ignored_stays_ignored() -> None:
    """Whoever started us so does not want us to end with the terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts().raising():
            told(signal.SIGHUP)
            assert signal.SIG_IGN == signal.getsignal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_in_another_thread_nothing_is_changed() -> None:
    """Only the main thread can be interrupted."""
    seen: list[object] = []

    def work() -> None:
        with Interrupts().raising():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert [signal.getsignal(signal.SIGTERM)] == seen
