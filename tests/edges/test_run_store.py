import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.run_store import RunStore, is_round, rounds_in


def test_rounds_of_a_label_are_numbered_from_one(tmp_path: Path) -> None:
    """The folder says which."""
    store = RunStore(tmp_path / "runs")

    made = [store.new_round("plain") for _ in range(2)]

    assert [(one.index, one.path) for one in made] == [
        (1, str(tmp_path / "runs" / "plain" / "round-01")),
        (2, str(tmp_path / "runs" / "plain" / "round-02")),
    ]


def test_a_round_is_never_written_over(tmp_path: Path) -> None:
    """Whatever lies there, the next free number is above all of them."""
    for name in ("round-01", "round-07", "notes"):
        (tmp_path / "plain" / name).mkdir(parents=True)

    assert RunStore(tmp_path).new_round("plain").index == 8


def test_measurements_side_by_side_get_folders_of_their_own(tmp_path: Path) -> None:
    """The folder is made, not looked for and then made."""
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: RunStore(tmp_path).new_round("plain").index, range(24)))

    assert sorted(made) == list(range(1, 25))


@pytest.mark.parametrize(
    "label", ["", "..", ".hidden", "a/b", "nul\0", "a\nb", "\x1b[31m", "x" * 201]
)
def test_a_label_that_is_no_folder_name_is_refused(tmp_path: Path, label: str) -> None:
    """Before anything is made."""
    with pytest.raises(BadInput, match="cannot be the label"):
        RunStore(tmp_path).new_round(label)

    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """With the path, and what to do."""
    (tmp_path / "file").touch()

    with pytest.raises(OutsideFailed, match=r"file.*Not a directory") as caught:
        RunStore(tmp_path / "file").new_round("plain")

    assert caught.value.remedy


def test_a_folder_is_a_round_once_it_is_finished(tmp_path: Path) -> None:
    """What was interrupted is not read as if it were whole; a log is there in any case."""
    folder = RunStore(tmp_path).new_round("plain")
    folder.write("marks.json", {"marks": []})
    before = is_round(Path(folder.path))

    folder.finish({"label": "plain"})

    assert (before, is_round(Path(folder.path))) == (False, True)
    names = sorted(path.name for path in Path(folder.path).iterdir())
    assert names == ["engine.log", "marks.json", "round.json"]
    assert json.loads((Path(folder.path) / "round.json").read_text()) == {"label": "plain"}


def test_an_artefact_that_cannot_be_written_leaves_the_old_one_whole(tmp_path: Path) -> None:
    """It is written beside and renamed."""
    folder = RunStore(tmp_path).new_round("plain")
    folder.write("marks.json", {"a": 1})

    with pytest.raises(TypeError):
        folder.write("marks.json", {"a": 2, "b": object()})

    assert json.loads((Path(folder.path) / "marks.json").read_text()) == {"a": 1}


def test_finished_rounds_are_found_in_order_of_their_numbers(tmp_path: Path) -> None:
    """Of one label or of all; 100 comes after 99, and what is unfinished is left out."""
    for label, number in (("b", 1), ("a", 100), ("a", 99), ("a", 2)):
        folder = tmp_path / label / f"round-{number:02d}"
        folder.mkdir(parents=True)
        if number != 2:
            (folder / "round.json").touch()

    assert [(path.parent.name, path.name) for path in rounds_in(tmp_path)] == [
        ("a", "round-99"),
        ("a", "round-100"),
        ("b", "round-01"),
    ]
    assert [path.name for path in rounds_in(tmp_path / "a")] == ["round-99", "round-100"]
    assert rounds_in(tmp_path / "absent") == ()
