"""
Being told to end, as an exception where the work is.

Python turns Ctrl-C into KeyboardInterrupt; SIGTERM and SIGHUP end it without a
word. Within this block all three raise, so that the engine is stopped, the
record is written and the folder is complete before we go.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """We were told to end; a KeyboardInterrupt, so that no `except Exception` swallows it."""


@contextmanager
def interrupts_raise() -> Iterator[None]:
    """Raise `Interrupted` in the main thread for SIGINT, SIGTERM and SIGHUP; elsewhere nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    # A signal ignored from outside (nohup) stays ignored.
    ours = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    for number in ours:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])


def _raise(number: int, _: FrameType | None) -> NoReturn:
    raise Interrupted(signal.Signals(number).name)
