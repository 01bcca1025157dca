"""
Something that takes long, done by another process while this one does something else.

Where a process cannot be forked safely it is done when it is asked for.
"""

import multiprocessing
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection

FORKS = sys.platform == "linux"
"""Elsewhere a fork may take threads of the system's own along that do not survive it."""


class Beside:
    """A text that is being made."""

    def __init__(self, work: Callable[[], str]) -> None:
        """Begin; before anything else is begun that a fork might disturb."""
        self._work = work
        self._coming: Connection | None = None
        if FORKS:
            way = multiprocessing.get_context("fork")
            self._coming, sending = way.Pipe(duplex=False)
            way.Process(target=_sent, args=(work, sending), daemon=True).start()
            sending.close()

    def text(self) -> str:
        """Wait for it, once; made here where the other process came to nothing."""
        coming, self._coming = self._coming, None
        try:
            return coming.recv_bytes().decode() if coming else self._work()
        except EOFError:
            return self._work()


def _sent(work: Callable[[], str], sending: Connection) -> None:
    sending.send_bytes(work().encode())
