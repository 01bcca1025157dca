"""A file is whole or not there."""

from pathlib import Path

import pytest

from firstlight.edges.unfinished import unfinished
from firstlight.edges.whole_file import write_whole


def test_what_was_there_is_replaced(tmp_path: Path) -> None:
    """And nothing is left beside it, not even what a killed process of our number left."""
    place = tmp_path / "plan.yaml"
    place.write_text("old")
    unfinished(place).write_text("half of what was to be")

    write_whole(place, b"new")

    assert b"new" == place.read_bytes()
    assert [place] == list(tmp_path.iterdir())


def test_what_cannot_come_to_its_place_leaves_nothing(tmp_path: Path) -> None:
    """What is there stays."""
    place = tmp_path / "folder"
    (place / "inside").mkdir(parents=True)

    with pytest.raises(IsADirectoryError):
        write_whole(place, b"new")

    assert [place] == list(tmp_path.iterdir())
    assert [place / "inside"] == list(place.iterdir())


@pytest.mark.parametrize(("private", "others"), [(True, 0), (False, 0o044)])
def test_others_may_read_it_where_it_is_not_private(
    tmp_path: Path, *, private: bool, others: int
) -> None:
    """A file that was open to all is private once it is written so."""
    place = tmp_path / "file"
    place.write_text("old")

    write_whole(place, b"new", private=private)

    assert others == place.stat().st_mode & 0o044
