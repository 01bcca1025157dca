"""
Being told to end, as an exception where the work is.

Python turns Ctrl-C into KeyboardInterrupt; SIGTERM and SIGHUP end it without a word. Here
all three raise, so that an engine is stopped, what was changed is put back and the record is
written before we go. They raise once: whoever is impatient and asks again does not interrupt
that, nor the end of the command: whoever was told to end is deaf from then on, or a second
Ctrl-C would kill it while it says what it leaves. While a change is on its way they wait for
its answer: a request that was cut off may still be carried out, and nobody would know.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Told(KeyboardInterrupt):
    """
    The name of the signal, wherever it was raised.

    A codec looks at each host's name, and Python writes the message of what is raised in it anew
    ("encoding with 'idna' codec failed"), unless it is of a type with an `__init__` of its own.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)


class Interrupts:
    """The interrupts of one piece of work; outside the main thread there are none."""

    def __init__(self) -> None:
        self._told: str | None = None
        self._raised = False
        self._held = 0

    @contextmanager
    def raising(self) -> Iterator[None]:
        """
        Within, the first of these signals raises KeyboardInterrupt, later ones nothing.

        Afterwards handlers are those from before; once told to end they are ignored for good.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        # A signal ignored from outside (nohup) stays ignored.
        ours = [number for number, handler in before.items() if handler != signal.SIG_IGN]
        for number in ours:
            signal.signal(number, self._tell)
        try:
            yield
            self._raise_if_told()
        finally:
            for number in ours:
                signal.signal(number, signal.SIG_IGN if self._told else before[number])

    @contextmanager
    def held(self) -> Iterator[None]:
        """Within, being told to end waits; it raises when the block is over."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
        self._raise_if_told()

    def _tell(self, number: int, _: FrameType | None) -> None:
        self._told = signal.Signals(number).name
        self._raise_if_told()

    def _raise_if_told(self) -> None:
        if self._told is not None and not self._raised and not self._held:
            self._raised = True
            raise Told(self._told)
