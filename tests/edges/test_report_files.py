"""Reports are whole or not there, and replace what was there."""

from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.report_files import write_over


def test_an_older_report_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    write_over(path, b"new")

    assert (b"new", ["report.html"]) == (path.read_bytes(), [p.name for p in tmp_path.iterdir()])


@pytest.mark.parametrize("place", ["not-there/report.html", "file/report.html", "folder"])
def test_what_is_no_place_is_said(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()

    with pytest.raises(BadInput, match="is no place for a file"):
        write_over(tmp_path / place, b"new")

    assert {"file", "folder"} == {p.name for p in tmp_path.iterdir()}


def test_a_name_that_the_file_system_refuses_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OutsideFailed, match="cannot be written"):
        write_over(tmp_path / ("x" * 250 + ".html"), b"new")

    assert [] == list(tmp_path.iterdir())
