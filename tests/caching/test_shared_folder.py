"""Files in a folder that two containers have in common."""

from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.wiring.caching.shared_folder import SharedFolder


def test_what_is_left_is_whole_and_instead_of_the_other(tmp_path: Path) -> None:
    """Two files that contradict each other are never left."""
    shared = SharedFolder(tmp_path)
    shared.leave("not-published", "why\nnot \udcff", instead_of="published")
    assert shared.has("not-published")

    shared.leave("published", "done", instead_of="not-published")

    assert ["published"] == [place.name for place in tmp_path.iterdir()]
    assert "done\n" == (tmp_path / "published").read_text()
    assert not shared.has("not-published")


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    """Nobody would find what is left in it."""
    (tmp_path / "file").touch()
    for place in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(BadInput, match="is no folder"):
            SharedFolder(place)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A folder lies where the file has to come."""
    (tmp_path / "published" / "x").mkdir(parents=True)

    with pytest.raises(OutsideFailed, match="cannot be written: Is a directory"):
        SharedFolder(tmp_path).leave("published", "done", instead_of="not-published")
