import os
from pathlib import Path

from firstlight.edges.termination_log import MOST_BYTES, leave_words


def test_the_file_stays_the_one_that_was_mounted(tmp_path: Path) -> None:
    """It is written to in its place, and what was in it is gone."""
    file = tmp_path / "termination-log"
    file.write_text("before " * 100)
    before = file.stat().st_ino

    leave_words(file, "restored")

    assert (before, "restored") == (file.stat().st_ino, file.read_text())


def test_as_much_is_written_as_is_shown(tmp_path: Path) -> None:
    """By the kubelet, of any letters."""
    file = tmp_path / "termination-log"

    leave_words(file, "\udcff" + "é" * MOST_BYTES)

    assert file.stat().st_size == MOST_BYTES


def test_what_cannot_be_written_is_left(tmp_path: Path) -> None:
    """A folder, a place that is not there, a pipe that nobody reads, a name that is none."""
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "no" / "file", tmp_path / "pipe", Path("a\0b")):
        leave_words(place, "words")

    assert ["pipe"] == [place.name for place in tmp_path.iterdir()]
