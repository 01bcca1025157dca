"""Files held in memory: nothing that drops the page cache takes them out of it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from held import held

from firstlight.edges.page_cache import drop_page_cache
from tests.examples_local.conftest import absent

FINCORE = shutil.which("fincore") or ""
SIZE = 4 * 1024 * 1024


def in_memory_bytes(file: Path) -> int:
    """How much of a file is in the page cache, as util-linux counts it."""
    said = subprocess.run(
        [FINCORE, "--bytes", "--noheadings", "--output", "RES", file],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(said.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files on a disk, written out; one has nothing in it."""
    (tmp_path / "deep").mkdir()
    with (tmp_path / "deep" / "bytes").open("wb") as file:
        file.write(os.urandom(SIZE))
        os.fsync(file.fileno())
    (tmp_path / "empty").touch()
    return tmp_path


@pytest.fixture
def fincore() -> None:
    """Make sure of what counts the pages in memory."""
    if not FINCORE:
        absent("fincore", "util-linux-extra")


@pytest.mark.usefixtures("fincore")
def test_files_stay_when_the_page_cache_is_dropped(folder: Path) -> None:
    """Not a page is missing while they are held, and afterwards none is kept."""
    file = folder / "deep" / "bytes"
    with held(folder) as locked:
        dropped = drop_page_cache() == "dropped"
        if dropped and not locked:
            pytest.skip("this user may drop the page cache and not lock memory")
        assert SIZE == in_memory_bytes(file)

    if dropped:
        drop_page_cache()
        assert 0 == in_memory_bytes(file)


@pytest.mark.usefixtures("fincore")
def test_what_cannot_be_locked_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it is in memory all the same, while nobody drops it."""
    monkeypatch.setattr("held._locked", lambda *_: False)
    with held(folder) as locked:
        assert not locked
        assert SIZE == in_memory_bytes(folder / "deep" / "bytes")
