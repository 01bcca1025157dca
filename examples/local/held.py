"""
Files held in memory, whatever is done to the page cache.

A cold round drops the page cache of the whole machine, and then the bucket's own
disk would be a part of the start: S3 reads no disk that could be cold for us. So
whoever serves the bucket holds its files: they are mapped and locked, which needs
no copy, and the kernel lets go of them when the block, or the process, ends.

Only root may lock so much, and only root may drop the page cache: where it cannot
be locked nothing drops it, and reading the files once is enough.
"""

import ctypes
import mmap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PIECE_BYTES = 8 * 1024 * 1024
FAILED = ctypes.c_void_p(-1).value


@contextmanager
def held(folder: Path) -> Iterator[bool]:
    """
    Every file below `folder` in memory until the block is left.

    Gives whether it is locked there; else it was read once, and stays while nothing drops it.
    """
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.stat().st_size]
    with ExitStack() as unmapped:
        locked = [_locked(file, unmapped) for file in files]
        for file in files if not all(locked) else ():
            _read(file)
        yield all(locked)


def _locked(file: Path, unmapped: ExitStack) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (
        *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int),
        ctypes.c_long,
    )
    libc.munmap.argtypes = libc.mlock.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    with file.open("rb") as opened:
        size = file.stat().st_size
        # Python's own mmap does not give its address for a mapping that cannot be written, and
        # one that can would be copied by the lock.
        at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, opened.fileno(), 0)
    if at == FAILED:
        return False
    unmapped.callback(libc.munmap, at, size)
    return bool(libc.mlock(at, size) == 0)


def _read(file: Path) -> None:
    with file.open("rb", buffering=0) as opened:
        while opened.read(PIECE_BYTES):
            pass
