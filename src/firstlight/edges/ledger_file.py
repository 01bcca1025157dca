"""
The ledger of a run folder on disk, and the lock that says who writes it.

A line is written with one call and is on disk before that returns; where the disk is full
the half that was written is taken off again. The lock is the kernel's, so it ends with whoever
held it, however they ended.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.core.records import LEDGER
from firstlight.edges.given_file import read_given
from firstlight.edges.unwritable import writing
from firstlight.edges.whole_file import sync_folder

_LOCK = ".lock"


class LedgerFile:
    """The ledger of one run folder."""

    def __init__(self, run: Path) -> None:
        self.path = run / LEDGER.file

    def read(self) -> bytes | None:
        """
        All of it; None where there is none.

        Raises:
            BadInput: it cannot be read.
        """
        try:
            return read_given(self.path)
        except FileNotFoundError:
            return None
        except OSError as broken:
            raise BadInput(
                f"{self.path} cannot be read: {broken.strerror}",
                remedy="name a folder that `firstlight experiment run` made, and may be read",
            ) from broken

    def append_bytes(self, line: bytes) -> None:
        """
        Write a line, whole or not at all.

        Raises:
            OutsideFailed: it cannot be written.
        """
        with writing(self.path):
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                end = os.lseek(file, 0, os.SEEK_END)
                _write(file, line, end)
                os.fsync(file)
            finally:
                os.close(file)
            sync_folder(self.path.parent)

    def cut(self, to_bytes: int) -> None:
        """
        Take off what a kill left of a line.

        Args:
            to_bytes: where the last whole line ends.

        Raises:
            OutsideFailed: it cannot be written.
        """
        with writing(self.path):
            os.truncate(self.path, to_bytes)


def _write(file: int, line: bytes, end: int) -> None:
    written = 0
    try:
        while written < len(line):
            written += os.write(file, line[written:])
    except OSError:
        with suppress(OSError):
            os.ftruncate(file, end)
        raise


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """
    Within, nobody else runs in this folder; the folder must be there.

    Raises:
        BadInput: somebody does.
        OutsideFailed: the folder cannot be written.
    """
    with writing(run / _LOCK):
        file = os.open(run / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as taken:
            who = os.pread(file, 20, 0).decode("ascii", "replace").strip()
            raise BadInput(
                f"{run} is in use by another firstlight" + (f" (process {who})" if who else ""),
                remedy="wait for it, or name another folder",
            ) from taken
        with writing(run / _LOCK):
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(file)
