"""
A file that somebody names, opened so that it cannot hold us up.

A name may lead to anything. A device may never end, and is never what anybody means by a plan,
a ledger or a log. A pipe is, where somebody writes to it: the shell puts one under `/dev/fd`
(`explain <(kubectl logs POD)`), or somebody made one with `mkfifo`; without a writer it would be
waited for without end. What is refused is refused as the file system refuses, with an
`OSError`, so that whoever reads says it in the same sentence.
"""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from threading import Thread

_HANDED_OVER = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
_WRITER_WITHIN_S = 1.0
"""Whoever writes to a pipe was started before us, or at the same time."""


def open_given(path: Path) -> BufferedReader:
    """
    A file, open for reading.

    Raises:
        OSError: it cannot be read, or is no file and no pipe that is written to.
    """
    if str(path).startswith(_HANDED_OVER):
        return path.open("rb")
    # A pipe that was opened and closed again has sent its writer away.
    if stat.S_ISFIFO(path.stat().st_mode):
        return os.fdopen(_written_to(path), "rb")
    # Without waiting, whatever it is.
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    kind = os.fstat(file).st_mode
    if stat.S_ISREG(kind):
        return os.fdopen(file, "rb")
    os.close(file)
    if stat.S_ISDIR(kind):
        raise OSError(errno.EISDIR, "it is a folder", str(path))
    raise OSError(errno.EINVAL, "it is a device", str(path))


def read_given(path: Path) -> bytes:
    """
    All of a file.

    Raises:
        OSError: it cannot be read, or is no file and no pipe that is written to.
    """
    with open_given(path) as file:
        return file.read()


def _written_to(pipe: Path) -> int:
    """A named pipe, open; opening it waits for a writer, so another thread does."""
    opened: list[int] = []
    waiting = Thread(
        target=lambda: opened.append(os.open(pipe, os.O_RDONLY | os.O_CLOEXEC)), daemon=True
    )
    waiting.start()
    waiting.join(_WRITER_WITHIN_S)
    if waiting.is_alive():
        # A writer that goes at once, so that the thread ends.
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        waiting.join()
        os.close(opened.pop())
    if not opened:
        raise OSError(errno.EINVAL, "it is a named pipe that nobody writes to", str(pipe))
    return opened.pop()
