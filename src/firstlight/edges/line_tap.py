"""
The engine's lines for whoever decides while it runs.

engine.log is the record; this is a tap on it, and it may forget: a line keeps
its head, a redrawn one its last state, and of many lines that nobody fetched
the newest stay.
"""

import threading
from collections import deque

_LONGEST_BYTES = 4096
_MOST_LINES = 1000


class LineTap:
    """Filled by the thread that reads the pipes, emptied by the one that decides."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=_MOST_LINES)
        self._open: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def add(self, stream: str, data: bytes, *, at_ns: int) -> None:
        *whole, rest = data.split(b"\n")
        with self._lock:
            held = self._open.get(stream, b"")
            for line in whole:
                self._keep(held + line, at_ns)
                held = b""
            self._open[stream] = _last_redraw(held + rest)[:_LONGEST_BYTES]

    def end(self, stream: str, *, at_ns: int) -> None:
        """The stream is over: a last line without a line end counts as one."""
        with self._lock:
            if held := self._open.pop(stream, b""):
                self._keep(held, at_ns)

    def fetch(self) -> list[tuple[int, str]]:
        """The lines since the last fetch, each with its monotonic moment."""
        with self._lock:
            fetched = list(self._lines)
            self._lines.clear()
            return fetched

    def _keep(self, line: bytes, at_ns: int) -> None:
        text = _last_redraw(line).rstrip(b"\r")[:_LONGEST_BYTES]
        self._lines.append((at_ns, text.decode("utf-8", "replace")))


def _last_redraw(line: bytes) -> bytes:
    """What the terminal would show; a return at the end stays, what follows it will redraw."""
    text = line.rstrip(b"\r")
    return text.rpartition(b"\r")[2] + line[len(text) :][:1]
