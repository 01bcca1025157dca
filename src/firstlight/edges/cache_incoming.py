"""
The hidden folder beside a target, in which a cache grows.

    .NAME.incoming-RANDOM/lock    locked while it is growing, and says by which kernel
                          new/    what grows, and what was replaced once they changed places
                          old/    what was in the target's place, where that took two renames

A lock ends with its process, in whatever container that ran, so who is killed leaves a folder
that the next one takes away. Between nodes that is not so sure: on some shared file systems a
lock is seen on one node only. So a folder of another kernel goes only when it is also older than
any pull takes. The lock is on a file that is open for writing, because NFS has locks that all
nodes see for those, and none for folders.
"""

import errno
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firstlight.edges.cache_note import boot_id
from firstlight.edges.exchange import exchange

_LOCK, _NEW, _OLD, _GOING = "lock", "new", "old", "going"
_ABANDONED_S = 3600
_MADE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOUND = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_MOST_BYTES = 128
_WAITS, _WAIT_S = 50, 0.1


class Incoming:
    """One of ours."""

    def __init__(self, holder: Path) -> None:
        self._holder = holder
        self.new = holder / _NEW
        """What grows."""

    @property
    def _old(self) -> Path:
        return self._holder / _OLD

    def replace(self, target: Path) -> Path | None:
        """
        Put what has grown in a full folder's place.

        Returns:
            Where that folder lies now; None where another is to be looked at first: it was not
            there any more, or one came between two renames.

        Raises:
            OSError: the file system refuses; then what was there is there.
        """
        try:
            if exchange(self.new, target):
                return self.new
            target.rename(self._old)
        except FileNotFoundError:
            return None
        try:
            self.new.rename(target)
        except OSError as broken:
            try:
                self._old.rename(target)
            except OSError:
                self.let_go(self._old)
            if _is_taken(broken):
                return None
            raise
        return self._old

    def take_back(self, old: Path, target: Path) -> None:
        """
        Put that folder where it was.

        Raises:
            OSError: the file system refuses.
        """
        with suppress(FileNotFoundError):
            if exchange(old, target):
                return
            target.rename(self._going())
        old.rename(target)

    def let_go(self, old: Path) -> None:
        """It is not to be put back any more, whoever comes after us."""
        with suppress(OSError):
            old.rename(self._going())

    def _going(self) -> Path:
        return self._holder / f"{_GOING}-{secrets.token_hex(8)}"


def arrived(new: Path, target: Path) -> bool:
    """
    Put a folder where there is none, or an empty one.

    Returns:
        False where there are files.

    Raises:
        OSError: the file system refuses.
    """
    try:
        new.rename(target)
    except OSError as broken:
        if _is_taken(broken):
            return False
        raise
    return True


@contextmanager
def incoming(target: Path) -> Iterator[Incoming]:
    """
    A place to grow in beside a target, gone at the end with all that is in it.

    Raises:
        OSError: it cannot be made.
    """
    holder = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}")
    holder.mkdir(mode=0o700)
    try:
        lock = os.open(holder / _LOCK, _MADE, 0o600)
        try:
            # Whoever reads this sees the lock too, or it is of another node.
            if _locked(lock):
                os.write(lock, boot_id().encode())
            (holder / _NEW).mkdir(mode=0o700)
            yield Incoming(holder)
        finally:
            shutil.rmtree(holder, ignore_errors=True)
            os.close(lock)
    finally:
        shutil.rmtree(holder, ignore_errors=True)


def sweep(target: Path) -> None:
    """Take away what those who were killed have left, and put back what they had in hand."""
    found: list[Path] = []
    with suppress(OSError):
        found = [one for one in target.parent.iterdir() if one.name.startswith(_prefix(target))]
    for holder in found:
        with suppress(OSError), _abandoned(holder) as is_abandoned:
            if is_abandoned:
                with suppress(OSError):
                    # Onto files no folder is renamed.
                    (holder / _OLD).rename(target)
                shutil.rmtree(holder, ignore_errors=True)


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """
    Wait for others of ours who change what is in a folder.

    Where the file system has no locks for folders, and where somebody keeps one for long, it goes
    on all the same: each step is looked at afterwards.
    """
    lock = None
    with suppress(OSError):
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for _ in range(_WAITS):
            if _locked(lock) is not False:
                break
            time.sleep(_WAIT_S)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


@contextmanager
def _abandoned(holder: Path) -> Iterator[bool]:
    """Whether nobody has it any more; nobody else takes it away meanwhile."""
    is_old = time.time() - holder.lstat().st_mtime > _ABANDONED_S
    try:
        lock = os.open(holder / _LOCK, _FOUND)
    except FileNotFoundError:
        yield is_old
        return
    try:
        locked = _locked(lock)
        if locked:
            grower = os.read(lock, _MOST_BYTES).decode(errors="replace")
            yield is_old or (grower != "" and grower == boot_id())
        else:
            yield locked is None and is_old
    finally:
        os.close(lock)


def _locked(lock: int) -> bool | None:
    """Whether it is ours now; None where there are no locks."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_taken(broken: OSError) -> bool:
    return broken.errno in {errno.ENOTEMPTY, errno.EEXIST}


def _prefix(target: Path) -> str:
    return f".{target.name}.incoming-"
