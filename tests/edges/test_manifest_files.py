"""Manifests as people keep them."""

import io
import sys
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput
from firstlight.edges.manifest_files import manifest_files
from firstlight.readers.manifest_text import LARGEST_BYTES


def test_one_file_is_taken_whatever_its_name(tmp_path: Path) -> None:
    """Somebody named it."""
    (tmp_path / "x").write_bytes(b"a: b\n")

    (file,) = manifest_files(str(tmp_path / "x"))

    assert (str(tmp_path / "x"), b"a: b\n") == (file.name, file.data)


def test_a_folder_is_read_in_order_of_name(tmp_path: Path) -> None:
    """YAML and JSON at any depth; nothing hidden, nothing else."""
    names = ["b.yaml", "a.YML", "sub/c.json", "d.txt", ".hidden/e.yaml", "sub/.f.yaml"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "folder.yaml").mkdir()

    files = manifest_files(str(tmp_path))

    assert [b"a.YML", b"b.yaml", b"sub/c.json"] == [file.data for file in files]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `-`."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: b\n")))

    (file,) = manifest_files("-")

    assert ("standard input", b"a: b\n") == (file.name, file.data)


def test_no_more_is_read_than_a_reader_takes(tmp_path: Path) -> None:
    """One byte over, so that the reader can say that it is too large."""
    with (tmp_path / "huge.yaml").open("wb") as file:
        file.truncate(10 * LARGEST_BYTES)

    (huge,) = manifest_files(str(tmp_path / "huge.yaml"))

    assert LARGEST_BYTES + 1 == len(huge.data)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    """A file, a folder without manifests."""
    with pytest.raises(BadInput, match="does not exist"):
        manifest_files(str(tmp_path / "nothing"))
    with pytest.raises(BadInput, match="holds no manifest"):
        manifest_files(str(tmp_path))


def test_what_cannot_be_read_is_said() -> None:
    """With the reason; nothing of it is kept."""
    with pytest.raises(BadInput, match="cannot be read"):
        manifest_files("/proc/self/mem")
