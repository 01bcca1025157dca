"""The folder that a pull fills, while others are there too."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.object_store import ObjectStore
from tests.caching.small import FILES, pulled, pushed, read, write

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with one cache."""
    found = f"file://{tmp_path}/store"
    pushed(found, write(tmp_path / "root"))
    return found


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "volume" / "engine"


def during_the_fetch(monkeypatch: pytest.MonkeyPatch, does: Callable[[], object]) -> None:
    """Do something once, when the archive is asked for."""
    read_range = ObjectStore.read_range
    first = threading.Lock()

    def slow(self: ObjectStore, path: str, begin: int, end: int) -> bytes:
        if first.acquire(blocking=False):
            monkeypatch.setattr(ObjectStore, "read_range", read_range)
            does()
        return read_range(self, path, begin, end)

    monkeypatch.setattr(ObjectStore, "read_range", slow)


def test_what_an_engine_compiles_meanwhile_stays(
    url: str, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody said that it may go, and nobody could have before it was there."""
    mine = {"vllm/mine": b"compiled here"}
    during_the_fetch(monkeypatch, lambda: write(into, mine))

    with pytest.raises(BadInput, match="files in it that were not pulled") as refused:
        pulled(url, into)

    assert "--replace" in refused.value.remedy
    assert mine == read(into)
    assert ["engine"] == [place.name for place in into.parent.iterdir()]


def test_it_goes_where_that_was_said(url: str, into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --replace, whenever it came."""
    during_the_fetch(monkeypatch, lambda: write(into, {"vllm/mine": b"compiled here"}))

    assert not pulled(url, into, replaces=True).there_already

    assert FILES == read(into)


@pytest.mark.parametrize("replaces", [False, True])
def test_the_second_of_two_leaves_the_first_ones(
    url: str, into: Path, monkeypatch: pytest.MonkeyPatch, replaces: bool
) -> None:
    """An engine has started on it, and added files."""

    def first() -> None:
        assert not pulled(url, into).there_already
        write(into, {"vllm/added": b"more"})

    during_the_fetch(monkeypatch, first)

    assert pulled(url, into, replaces=replaces).there_already

    assert {**FILES, "vllm/added": b"more"} == read(into)
    assert ["engine"] == [place.name for place in into.parent.iterdir()]


def _shorter(place: Path) -> None:
    place.write_bytes(place.read_bytes()[:-1])


def _link(place: Path) -> None:
    place.rename(place.with_name("moved"))
    place.symlink_to("moved")


@pytest.mark.parametrize("spoil", [Path.unlink, _shorter, _link])
def test_a_cache_that_lost_files_is_pulled_again(
    url: str, into: Path, spoil: Callable[[Path], None]
) -> None:
    """As a whole: what was added may build on what is lost."""
    pulled(url, into)
    write(into, {"vllm/added": b"more"})
    assert pulled(url, into).there_already
    spoil(into / "torchinductor" / "aa" / "kernel.so")

    assert not pulled(url, into).there_already

    assert FILES == read(into)
    assert pulled(url, into).there_already


def test_another_node_that_takes_half_of_it_away_is_noticed(
    url: str, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restored is said of all files or not at all."""
    gone: list[Path] = []
    make = os.utime

    def also_take(place: int, times: tuple[float, float]) -> None:
        make(place, times)
        for file in into.parent.glob(".engine.incoming-*/**/kernel.so"):
            gone.append(file)
            file.unlink()

    monkeypatch.setattr(os, "utime", also_take)

    with pytest.raises(OutsideFailed, match="was changed by another: it has 2 files"):
        pulled(url, into)

    assert gone
    assert [] == [place.name for place in into.parent.iterdir()]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_an_engine_of_another_user_can_read_it_and_not_write(
    url: str, into: Path, umask: int
) -> None:
    """Whatever umask the pull was started with; the folders above it that it made too."""
    before = os.umask(umask)
    try:
        pulled(url, into / "deeper" / "engine")
    finally:
        os.umask(before)

    for place in (into.parent, *into.parent.rglob("*")):
        expected = 0o755 if place.is_dir() else 0o644
        assert expected == place.stat().st_mode & 0o7777, place
