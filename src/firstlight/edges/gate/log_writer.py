"""
Lines for a descriptor that may take no more, written by a thread of their own.

Whoever reads a pipe may stall, and a disk may hang: then a write waits, and with it whoever
writes. That must not be whoever passes requests on. So lines stand in a short queue; what does
not fit is not kept, and told to whoever brought it.
"""

import atexit
import os
from contextlib import suppress
from queue import Full, Queue
from threading import Thread

_MOST_LINES = 1000
_END_WITHIN_S = 1.0


class LogWriter:
    """Of one descriptor."""

    def __init__(self, descriptor: int, *, most_lines: int = _MOST_LINES) -> None:
        """
        Args:
            descriptor: to write to; another one of the same is made, and closed in the end.
            most_lines: that stand in the queue.
        """
        self._descriptor = os.dup(descriptor)
        self._lines: Queue[bytes | None] = Queue(most_lines)
        # Not through a stream: one that a thread holds locked breaks the end of the interpreter.
        self._thread = Thread(target=self._write, name="log", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def take(self, line: str) -> bool:
        """
        Have a line written; False where there is no room for it.

        Args:
            line: with its end.
        """
        try:
            self._lines.put_nowait(line.encode())
        except Full:
            return False
        return True

    def close(self) -> None:
        """Take no more, and give what is there a second to be written."""
        atexit.unregister(self.close)
        with suppress(Full):
            self._lines.put(None, timeout=_END_WITHIN_S)
            self._thread.join(_END_WITHIN_S)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            left = memoryview(line)
            # Nobody reads it any more, or the disk is full: that line is lost.
            with suppress(OSError):
                while left:
                    left = left[os.write(self._descriptor, left) :]
        os.close(self._descriptor)
