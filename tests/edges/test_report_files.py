"""Reports are whole or not there, and replace what was there."""

import json
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.report_files import write_over
from firstlight.wiring.reporting import material, written
from tests.report.documents import experiment


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


_NAMES = ["bundle.json", "measured.json", "round.json", "marks.json", "serving.json", "wake.json"]


@pytest.mark.parametrize("name", [*_NAMES, "ledger.jsonl"])
def test_a_record_is_not_written_over(tmp_path: Path, name: str) -> None:
    """A report can be made again, and what it is made from cannot."""
    record = tmp_path / name
    record.write_text("what was measured")

    with pytest.raises(BadInput, match="is the name of a record of firstlight"):
        write_over(record, b"new")

    assert ("what was measured", [name]) == (
        record.read_text(),
        [p.name for p in tmp_path.iterdir()],
    )


def test_a_record_that_is_not_there_is_not_made_up(tmp_path: Path) -> None:
    """Whoever reads the round would take it for one."""
    (tmp_path / "round.json").write_text("{}")

    with pytest.raises(BadInput, match="is the name of a record"):
        write_over(tmp_path / "serving.json", b"new")

    assert ["round.json"] == [p.name for p in tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["cache-after.json", "objects.json", "notes.md", "own.html"])
def test_among_records_only_reports_are_replaced(tmp_path: Path, name: str) -> None:
    """However deep below the run's ledger: artefacts lie there, and somebody's own notes."""
    (tmp_path / "ledger.jsonl").write_text("")
    folder = tmp_path / "rounds" / "a"
    folder.mkdir(parents=True)
    (folder / name).write_text("# not ours")

    with pytest.raises(BadInput, match="is no report"):
        write_over(folder / name, b"new")

    assert "# not ours" == (folder / name).read_text()


@pytest.mark.timeout(60)
def test_reports_that_lie_in_a_run_are_made_again(tmp_path: Path) -> None:
    """Each kind as it is really written, over itself."""
    (tmp_path / "ledger.jsonl").write_text("")
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps(experiment()))
    found = material([str(saved)])
    for kind in (".html", ".md", ".csv", ".svg", ".png", ".json"):
        target = tmp_path / f"report{kind}"
        written(found, target)
        first = target.read_bytes()

        written(found, target)

        assert first == target.read_bytes()


def test_a_folder_without_records_is_anybodys(tmp_path: Path) -> None:
    """A file that is there is replaced, as is said."""
    (tmp_path / "page.html").write_text("mine")

    write_over(tmp_path / "page.html", b"new")

    assert b"new" == (tmp_path / "page.html").read_bytes()
