"""
An end for what has no end of its own.

A network file system that hangs, a pipe in place of a file, a store that lists without end: no
check within the work sees these, because the work does not come back to it. So another thread
waits, says why, and ends the process. What is left behind is what a kill leaves.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def hard_stop(after_s: float, last_words: Callable[[], None], code: int) -> Iterator[None]:
    """
    End the process where what is within takes too long.

    Args:
        after_s: so long it may take.
        last_words: says why, before the end.
        code: the exit code.
    """

    def end() -> None:
        try:
            last_words()
        finally:
            os._exit(code)

    timer = threading.Timer(after_s, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
