"""
A file that a gateway reads while others wait for it, so it must be one that can be read at once.

What is a pipe, a device or a folder is left unopened: to open a pipe and close it again sends
away whoever writes to it, and to read from it is to wait for them.
"""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path


def open_regular(path: Path) -> BufferedReader:
    """
    A regular file, open for reading.

    Args:
        path: of it, or of a link to it.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    _check(path.stat(), path)
    # It may have been replaced since: without waiting, whatever it is.
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check(os.fstat(file), path)
    except OSError:
        os.close(file)
        raise
    return os.fdopen(file, "rb")


def _check(found: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
