"""What is left beside the folder of a cache by those who were killed."""

import fcntl
import os
import shutil
import stat
import time
from pathlib import Path

import pytest

from firstlight.edges import cache_incoming, cache_note
from firstlight.edges.cache_target import CacheTarget
from tests.caching.small import read, write
from tests.edges.cache_arrivals import FILES, OTHER, beside, came


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "volume" / "engine"


def test_what_was_replaced_does_not_come_back(into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while it was removed, it is not what somebody had in hand."""
    monkeypatch.setattr(cache_incoming, "exchange", lambda *_: False)
    came(into, OTHER)
    with monkeypatch.context() as killed:
        killed.setattr(shutil, "rmtree", lambda *_, **__: None)
        came(into)
    shutil.rmtree(into)

    CacheTarget(into).sweep()

    assert not into.exists()
    assert [] == beside(into)


def left(into: Path, monkeypatch: pytest.MonkeyPatch, *, node: str) -> Path:
    """What one leaves who is killed while growing on some node; that node's locks are not seen."""
    into.parent.mkdir(exist_ok=True)
    with monkeypatch.context() as there:
        there.setattr(cache_incoming, "boot_id", lambda: node)
        there.setattr(fcntl, "flock", lambda *_: None)
        there.setattr(shutil, "rmtree", lambda *_, **__: None)
        with CacheTarget(into).growing() as growing:
            write(growing.new, FILES)
    return growing.new.parent


def age(holder: Path) -> None:
    """By two hours."""
    then = time.time() - 7200
    os.utime(holder, (then, then))


def test_only_what_is_surely_abandoned_is_swept(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of this kernel at once, for it would see the lock; of another when it is old too."""
    monkeypatch.setattr(cache_incoming, "boot_id", lambda: "this")
    here = left(into, monkeypatch, node="this")
    there = left(into, monkeypatch, node="that")
    nobodys = left(into, monkeypatch, node="")
    target = CacheTarget(into)

    with target.growing() as growing:
        age(growing.new.parent)
        target.sweep()
        assert growing.new.exists()
    assert (False, True, True) == (here.exists(), there.exists(), nobodys.exists())

    (nobodys / "lock").unlink()
    target.sweep()
    assert nobodys.exists()
    age(there)
    age(nobodys)
    target.sweep()
    assert [] == beside(into)


def test_the_lock_is_one_that_all_nodes_of_nfs_see(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its client makes a range of bytes of it, on the server: for files open for writing only."""
    lock = fcntl.flock

    def over_nfs(opened: int, how: int) -> None:
        flags = fcntl.fcntl(opened, fcntl.F_GETFL)
        if not stat.S_ISREG(os.fstat(opened).st_mode) or flags & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(9, "Bad file descriptor")
        lock(opened, how)

    monkeypatch.setattr(fcntl, "flock", over_nfs)
    target = CacheTarget(into)
    with target.growing() as growing:
        age(growing.new.parent)
        target.sweep()
        assert growing.new.exists()


def test_a_name_with_letters_of_a_pattern_is_swept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a name, not a pattern."""
    into = tmp_path / "volume" / "engine[1]*"
    age(left(into, monkeypatch, node="that"))

    CacheTarget(into).sweep()

    assert [] == beside(into)


def test_where_there_are_no_locks_the_age_tells(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a pull works all the same, without waiting."""

    def none(*_: object) -> None:
        raise OSError(37, "No locks available")

    holder = left(into, monkeypatch, node="this")
    monkeypatch.setattr(fcntl, "flock", none)
    began = time.monotonic()

    CacheTarget(into).sweep()
    assert came(into)
    assert [holder.name] == beside(into)
    age(holder)
    CacheTarget(into).sweep()

    assert [] == beside(into)
    assert time.monotonic() - began < 1


def test_what_was_in_hand_is_put_back(into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between two renames; where something is there since, that stays."""
    holder = left(into, monkeypatch, node=cache_note.boot_id())
    write(holder / "old", OTHER)

    CacheTarget(into).sweep()
    assert OTHER == read(into)
    assert [] == beside(into)

    holder = left(into, monkeypatch, node=cache_note.boot_id())
    write(holder / "old", FILES)
    CacheTarget(into).sweep()
    assert OTHER == read(into)
    assert [] == beside(into)
