"""The folder of a pulled cache: who may replace what, and what is believed to be there."""

import ctypes
import fcntl
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.cache_places import NOTE
from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges import cache_incoming, cache_target
from firstlight.edges.cache_target import CacheTarget
from firstlight.edges.exchange import exchange
from tests.caching.small import read, write
from tests.edges.cache_arrivals import FILES, OTHER, beside, came, came_over, said


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "volume" / "engine"


@pytest.fixture(params=["exchange", "two renames"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of replacing a full folder."""
    if request.param == "two renames":
        monkeypatch.setattr(cache_incoming, "exchange", lambda *_: False)


@pytest.mark.usefixtures("ways")
def test_another_cache_takes_the_place_of_one_that_was_pulled(into: Path) -> None:
    """With what an engine added to that one."""
    assert came(into)
    (into / "vllm" / "added").touch()

    assert came(into, OTHER)

    assert OTHER == read(into)
    assert [] == beside(into)


def test_the_same_cache_leaves_what_is_there(into: Path) -> None:
    """An engine uses it, and added to it."""
    assert came(into)
    (into / "vllm" / "added").write_bytes(b"x")
    before = into.stat().st_ino

    assert not came(into)

    assert before == into.stat().st_ino
    assert {**FILES, "vllm/added": b"x"} == read(into)
    assert [] == beside(into)


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("first", [None, OTHER], ids=["nothing before", "a pulled one before"])
def test_what_was_compiled_meanwhile_stays(into: Path, first: dict[str, bytes] | None) -> None:
    """An engine made the folder while the cache was fetched, or somebody did in its place."""
    if first is not None:
        came(into, first)
    target = CacheTarget(into)
    over = target.check_free()
    if first is not None:
        into.rename(into.with_name("elsewhere"))
    mine = {"vllm/mine": b"compiled"}
    write(into, mine)

    with pytest.raises(BadInput, match="files in it that were not pulled"):
        came_over(target, over)

    assert mine == read(into)
    assert came(into, replaces=True)
    assert FILES == read(into)


def between_look_and_swap(monkeypatch: pytest.MonkeyPatch, does: Callable[[], object]) -> None:
    """Do something when the folder was found to be one that may go."""
    swap = cache_incoming.Incoming.replace

    def first_do(self: cache_incoming.Incoming, target: Path) -> Path | None:
        monkeypatch.setattr(cache_incoming.Incoming, "replace", swap)
        does()
        return swap(self, target)

    monkeypatch.setattr(cache_incoming.Incoming, "replace", first_do)


@pytest.mark.usefixtures("ways")
def test_what_came_at_the_last_moment_is_put_back(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was moved away already when it was seen."""
    came(into, OTHER)
    inode = 0

    def somebody() -> None:
        nonlocal inode
        into.rename(into.with_name("elsewhere"))
        write(into, {"vllm/mine": b"compiled"})
        inode = into.stat().st_ino

    between_look_and_swap(monkeypatch, somebody)
    with pytest.raises(BadInput, match="that were not pulled"):
        came(into)

    assert ({"vllm/mine": b"compiled"}, inode) == (read(into), into.stat().st_ino)
    assert ["elsewhere"] == beside(into)


def test_what_may_not_go_is_not_even_moved(into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine has it open."""
    write(into, {"vllm/mine": b"compiled"})
    between_look_and_swap(monkeypatch, lambda: pytest.fail("it was moved"))

    with pytest.raises(BadInput, match="that were not pulled"):
        came_over(CacheTarget(into), None)


def test_one_that_comes_between_two_renames_stays(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it may go; then it is the second that goes."""
    monkeypatch.setattr(cache_incoming, "exchange", lambda *_: False)
    rename = Path.rename

    def somebody_in_between(place: Path, to: Path) -> Path:
        done = rename(place, to)
        if to.name == "old":
            monkeypatch.setattr(Path, "rename", rename)
            write(into, {"vllm/mine": b"compiled"})
        return done

    came(into, OTHER)
    monkeypatch.setattr(Path, "rename", somebody_in_between)
    with pytest.raises(BadInput, match="that were not pulled"):
        came(into)
    assert {"vllm/mine": b"compiled"} == read(into)

    monkeypatch.setattr(Path, "rename", somebody_in_between)
    assert came(into, replaces=True)
    assert FILES == read(into)
    assert [] == beside(into)


def test_a_second_rename_that_is_refused_changes_nothing(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was taken away is put back."""
    monkeypatch.setattr(cache_incoming, "exchange", lambda *_: False)
    came(into, OTHER)
    rename = Path.rename

    def refused(place: Path, to: Path) -> Path:
        if place.name == "new" and not to.exists():
            raise OSError(5, "Input/output error")
        return rename(place, to)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(OutsideFailed, match="Input/output error"):
        came(into)

    assert OTHER == read(into)


def test_one_comes_after_the_other(into: Path) -> None:
    """Two that change places at once could put back what is the third's."""
    into.parent.mkdir()
    other = os.open(into.parent, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    thread = threading.Thread(target=came, args=(into,))
    thread.start()
    thread.join(0.3)
    there = into.exists()
    os.close(other)
    thread.join()

    assert (False, True) == (there, into.exists())


@pytest.mark.usefixtures("ways")
def test_the_same_cache_at_the_last_moment_is_put_back(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine has it already, as another has brought it."""
    came(into, OTHER)
    inode = 0

    @contextmanager
    def alone(_: Path) -> Iterator[None]:
        """As where folders cannot be locked."""
        yield

    def another() -> None:
        nonlocal inode
        assert came(into)
        inode = into.stat().st_ino

    monkeypatch.setattr(cache_target, "one_at_a_time", alone)
    between_look_and_swap(monkeypatch, another)

    assert not came(into)

    assert (FILES, inode) == (read(into), into.stat().st_ino)
    assert [] == beside(into)


@pytest.mark.usefixtures("ways")
def test_what_goes_away_at_the_last_moment_is_not_missed(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache comes where nothing is."""
    came(into, OTHER)
    between_look_and_swap(monkeypatch, lambda: into.rename(into.with_name("elsewhere")))

    assert came(into)

    assert FILES == read(into)


def test_another_cache_that_came_meanwhile_stays(into: Path) -> None:
    """It was not the one that was seen."""
    target = CacheTarget(into)
    over = target.check_free()
    came(into, OTHER)

    with pytest.raises(BadInput, match=r"another cache came to .* meanwhile"):
        came_over(target, over)

    assert OTHER == read(into)


def test_two_at_once_bring_it_once(into: Path) -> None:
    """Each says the truth, and the folder stays the first one's."""
    said_so: list[bool] = []
    at_once = threading.Barrier(6)

    def one() -> None:
        target = CacheTarget(into)
        over = target.check_free()
        with target.growing() as growing:
            write(growing.new, FILES)
            at_once.wait()
            said_so.append(target.arrive(growing, said(), over=over))

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [False] * 5 + [True] == sorted(said_so)
    assert FILES == read(into)
    assert [] == beside(into)


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_bytes(b"")])
def test_what_lost_a_file_is_not_there(into: Path, spoil: Callable[[Path], object]) -> None:
    """The note alone says nothing of the files; it is brought again as a whole."""
    came(into)
    (into / "vllm" / "added").touch()
    spoil(into / "triton" / "k.so")

    assert not CacheTarget(into).holds(said())
    assert came(into)

    assert FILES == read(into)
    assert CacheTarget(into).holds(said())


def test_a_log_that_an_engine_adds_to_spoils_nothing(into: Path) -> None:
    """Or each start would fetch the cache anew."""
    came(into)
    with (into / "vllm" / "b" / "c").open("ab") as log:
        log.write(b"started")

    assert CacheTarget(into).holds(said())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("place", [".", NOTE])
def test_a_note_of_somebody_else_is_not_believed(into: Path, place: str) -> None:
    """Who could write it could have written the files; nor do they go."""
    came(into)
    os.chown(into / place, 12345, -1)

    assert not CacheTarget(into).holds(said())
    with pytest.raises(BadInput, match="that were not pulled"):
        came(into)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_where_all_files_are_one_users_that_one_is_believed(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind an access point of EFS: what we make is theirs too."""
    came(into)
    for place in (into, into / NOTE):
        os.chown(place, 12345, -1)
    made = tempfile.TemporaryDirectory

    @contextmanager
    def squashed(**given: Any) -> Iterator[str]:
        with made(**given) as folder:
            os.chown(folder, 12345, -1)
            yield folder

    monkeypatch.setattr(tempfile, "TemporaryDirectory", squashed)

    assert CacheTarget(into).holds(said())


def test_a_note_that_is_a_link_is_none(into: Path, tmp_path: Path) -> None:
    """It leads to what is not of this folder."""
    came(into)
    (into / NOTE).rename(tmp_path / "note")
    (into / NOTE).symlink_to(tmp_path / "note")

    assert CacheTarget(into).note() is None


@pytest.mark.parametrize("spoil", ["take", "add", "change"])
def test_what_is_not_whole_any_more_does_not_come(into: Path, spoil: str) -> None:
    """On another node somebody took it for abandoned, or cleaned up."""
    came(into, OTHER)
    target = CacheTarget(into)
    with target.growing() as growing:
        write(growing.new, FILES)
        if spoil == "take":
            (growing.new / "vllm" / "b" / "c").unlink()
        else:
            (growing.new / "vllm" / ("a" if spoil == "change" else "more")).write_bytes(b"x")
        with pytest.raises(OutsideFailed, match="was changed by another: it "):
            target.arrive(growing, said(), over=target.check_free())

    assert OTHER == read(into)


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_rights_do_not_hang_on_the_umask(into: Path, umask: int) -> None:
    """Another user's engine reads it, and nobody else writes to it."""
    before = os.umask(umask)
    try:
        CacheTarget(into).check_room(0, 0)
        target = CacheTarget(into.parent / "a" / "b" / "engine")
        came_over(target, None, {"a": b"x"})
    finally:
        os.umask(before)

    for folder in (into.parent, into.parent / "a", into.parent / "a" / "b", target.folder):
        assert 0o755 == folder.stat().st_mode & 0o7777
    assert 0o644 == (target.folder / NOTE).stat().st_mode & 0o7777


def test_folders_that_are_there_keep_their_rights(into: Path) -> None:
    """Only what is made here is ours to change."""
    into.parent.mkdir(mode=0o700)

    came(into)

    assert 0o700 == into.parent.stat().st_mode & 0o7777


def test_an_exchange_is_one_step_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the kernel refuses for these two is an error; what it has not is none."""
    one, other = write(tmp_path / "one", FILES), write(tmp_path / "other", OTHER)
    if exchange(one, other):
        assert (OTHER, FILES) == (read(one), read(other))
        with pytest.raises(FileNotFoundError):
            exchange(one, tmp_path / "nowhere")

    class _Old:
        def __init__(self, *_: object, **__: object) -> None:
            """A C library without the call."""

    monkeypatch.setattr(ctypes, "CDLL", _Old)
    assert not exchange(one, other)
