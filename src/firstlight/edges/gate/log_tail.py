"""
What an engine has said since one last looked, from a file that it writes its log to.

The file may be made late, cut short or replaced by another; of what is too much the end counts.
"""

import os
from pathlib import Path

from firstlight.edges.gate.regular_file import open_regular

_MOST_BYTES = 4 * 1024 * 1024


class LogTail:
    """The end of one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None
        self._read_to = 0

    def new(self) -> bytes:
        """
        What is new; nothing where there is no file.

        Raises:
            OSError: it cannot be read.
        """
        try:
            file = open_regular(self._path)
        except FileNotFoundError:
            self._file = None
            return b""
        with file:
            now = os.fstat(file.fileno())
            if self._file != (now.st_dev, now.st_ino) or now.st_size < self._read_to:
                self._read_to = 0
            self._file = (now.st_dev, now.st_ino)
            file.seek(max(self._read_to, now.st_size - _MOST_BYTES))
            read = file.read(_MOST_BYTES)
            # A line that is still being written is read when it is whole.
            whole = read[: read.rfind(b"\n") + 1]
            self._read_to = file.tell() - len(read) + len(whole)
            return whole
