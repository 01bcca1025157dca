"""Manifests as people keep them."""

import errno
import io
import os
import socket
import sys
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput
from firstlight.edges.manifest_files import manifest_file, manifest_folder
from firstlight.readers.manifest_text import LARGEST_BYTES


def test_one_file_is_taken_whatever_its_name(tmp_path: Path) -> None:
    """Somebody named it."""
    (tmp_path / "x").write_bytes(b"a: b\n")

    file = manifest_file(str(tmp_path / "x"))

    assert (str(tmp_path / "x"), b"a: b\n") == (file.name, file.data)


def test_a_folder_is_read_in_order_of_name(tmp_path: Path) -> None:
    """YAML and JSON at any depth; nothing hidden, nothing else."""
    names = ["b.yaml", "a.YML", "sub/c.json", "d.txt", ".hidden/e.yaml", "sub/.f.yaml"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "folder.yaml").mkdir()

    files = manifest_folder(str(tmp_path)).files

    assert [b"a.YML", b"b.yaml", b"sub/c.json"] == [file.data for file in files]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `-`."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: b\n")))

    file = manifest_file("-")

    assert ("standard input", b"a: b\n") == (file.name, file.data)


def test_no_more_is_read_than_a_reader_takes(tmp_path: Path) -> None:
    """One byte over, so that the reader can say that it is too large."""
    with (tmp_path / "huge.yaml").open("wb") as file:
        file.truncate(10 * LARGEST_BYTES)

    huge = manifest_file(str(tmp_path / "huge.yaml"))

    assert LARGEST_BYTES + 1 == len(huge.data)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    """A file, a folder without manifests."""
    with pytest.raises(BadInput, match="does not exist"):
        manifest_file(str(tmp_path / "nothing"))
    with pytest.raises(BadInput, match="holds no manifest"):
        manifest_folder(str(tmp_path))


def test_what_cannot_be_read_is_said() -> None:
    """With the reason; nothing of it is kept."""
    with pytest.raises(BadInput, match="cannot be read"):
        manifest_file("/proc/self/mem")


def test_what_only_has_the_name_of_a_manifest_is_said(tmp_path: Path) -> None:
    """A link to nothing, a pipe and a socket: nobody would wait for them, or miss them."""
    (tmp_path / "a.yaml").write_text("a: b\n")
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe.yml")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.json"))

        folder = manifest_folder(str(tmp_path))

    assert [str(tmp_path / "a.yaml")] == [file.name for file in folder.files]
    assert (
        f"{tmp_path / 'gone.yaml'} is left out: it is a link to nothing",
        f"{tmp_path / 'pipe.yml'} is left out: it is no file that can be read",
        f"{tmp_path / 'socket.json'} is left out: it is no file that can be read",
    ) == folder.left_out


def test_a_folder_that_nobody_may_look_into_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies in it may be what is wrong; root may look into any, so the system is asked here."""
    (tmp_path / "a.yaml").write_text("a: b\n")
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)

    with pytest.raises(BadInput, match="closed cannot be read: Permission denied"):
        manifest_folder(str(tmp_path))
