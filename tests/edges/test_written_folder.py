"""Files that are written again and again into a folder that somebody keeps."""

from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.written_folder import check_apart, write_folder

MARK = "# ours"


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_what_was_written_is_written_again(tmp_path: Path) -> None:
    """Nothing else is left beside it, and what is no more part of it is named and kept."""
    place = tmp_path / "not" / "there"
    first = {"a.yaml": f"{MARK}\n1\n", "sub/b.yaml": f"{MARK}\n2\n"}
    assert () == write_folder(place, first, mark=MARK)
    assert first == contents(place)

    left = write_folder(place, {"a.yaml": f"{MARK}\n3\n"}, mark=MARK)

    assert (place / "sub" / "b.yaml",) == left
    assert {**first, "a.yaml": f"{MARK}\n3\n"} == contents(place)


@pytest.mark.parametrize("theirs", ["mine\n", f"{MARK} too\n", f" {MARK}x\n", "", f"\n{MARK}\n"])
def test_a_file_without_the_mark_is_not_replaced(tmp_path: Path, theirs: str) -> None:
    """Nor is any other of them written."""
    (tmp_path / "z.yaml").write_text(theirs)

    with pytest.raises(BadInput, match=r"z\.yaml was not written by firstlight"):
        write_folder(tmp_path, {"a.yaml": f"{MARK}\n", "z.yaml": f"{MARK}\n"}, mark=MARK)

    assert {"z.yaml": theirs} == contents(tmp_path)


def test_a_file_where_a_folder_is_to_be(tmp_path: Path) -> None:
    """Said before anything is written."""
    (tmp_path / "sub").write_text(f"{MARK}\n")

    with pytest.raises(BadInput, match="sub is no folder"):
        write_folder(tmp_path, {"a.yaml": f"{MARK}\n", "sub/deep/b.yaml": f"{MARK}\n"}, mark=MARK)

    assert ["sub"] == list(contents(tmp_path))


def test_a_link_is_not_followed_to_somebodys_file(tmp_path: Path) -> None:
    """The link to a file of theirs is theirs too; one that leads nowhere as well."""
    (tmp_path / "theirs").write_text("mine\n")
    place = tmp_path / "k"
    place.mkdir()
    (place / "a.yaml").symlink_to(tmp_path / "theirs")
    (place / "b.yaml").symlink_to(tmp_path / "nowhere")

    for name in ("a.yaml", "b.yaml"):
        with pytest.raises(BadInput, match="was not written by firstlight"):
            write_folder(place, {name: f"{MARK}\n"}, mark=MARK)

    assert "mine\n" == (tmp_path / "theirs").read_text()
    assert not (tmp_path / "nowhere").exists()


def test_a_disk_that_does_not_take_it(tmp_path: Path) -> None:
    """The outside's fault, with the path."""
    with pytest.raises(OutsideFailed, match="cannot be written"):
        write_folder(Path("/proc/none"), {"a.yaml": f"{MARK}\n"}, mark=MARK)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("place", "read", "relation"),
    [
        ("src", "src", "is"),
        ("src/k", "src", "lies in"),
        ("k", "k/base", "holds"),
        ("k", "k/vllm.yaml", "holds"),
        ("link/k", "src", "lies in"),
        ("src/../k/.", "k/base", "holds"),
    ],
)
def test_what_is_read_is_not_written_into(
    tmp_path: Path, place: str, read: str, relation: str
) -> None:
    """Read again, it would be another thing."""
    (tmp_path / "src").mkdir()
    (tmp_path / "link").symlink_to("src")

    with pytest.raises(BadInput, match=f" {relation} .*, which is read here"):
        check_apart(tmp_path / place, tmp_path / read)


def test_a_folder_beside_is_written_into(tmp_path: Path) -> None:
    """Also one whose name begins alike."""
    for place in ("k", "src-2", "other/src"):
        check_apart(tmp_path / place, tmp_path / "src")
