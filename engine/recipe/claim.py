"""
One builder at a time.

The lock is `flock`, and the builder hands its descriptor to every child. So a
builder that is killed while pip runs on does not free the place: the next one
waits until that pip has ended, instead of wiping the folder under its hands.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def claimed(lock: Path, say: Callable[[str], None]) -> Iterator[int]:
    """Hold the lock; gives the descriptor that children have to inherit."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
            say(f"process {holder}, or a command it left, is preparing this; waiting")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)
