"""Artefacts in any shape: read once, a piece at a time, and refused in a sentence."""

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from firstlight.core.errors import BadInput
from firstlight.edges.input_files import CHUNK_BYTES, InputFile, find_inputs

DATA = bytes(range(256)) * 5000

Compress = Callable[[bytes], bytes]
FORMATS: list[Compress] = [lambda data: data, gzip.compress, bz2.compress, lzma.compress]
PACKED = FORMATS[1:]


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def content(path: Path | None) -> bytes:
    return b"".join(InputFile(name="x", path=path).chunks())


def standard_input(patch: pytest.MonkeyPatch, data: bytes) -> None:
    buffer = io.BufferedReader(io.BytesIO(data))
    patch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer))


@pytest.mark.parametrize("compress", FORMATS)
def test_what_comes_out_is_what_was_put_in(tmp_path: Path, compress: Compress) -> None:
    """Plain or packed, whatever the name."""
    assert content(written(tmp_path, "pod.log", compress(DATA))) == DATA


@pytest.mark.parametrize("compress", FORMATS)
def test_standard_input_may_be_packed_too(
    monkeypatch: pytest.MonkeyPatch, compress: Compress
) -> None:
    """The first bytes tell; a pipe has no name that could."""
    standard_input(monkeypatch, compress(DATA))

    assert content(None) == DATA


def test_a_file_is_read_a_piece_at_a_time(tmp_path: Path) -> None:
    """However large it is."""
    path = written(tmp_path, "pod.log", b"x" * (3 * CHUNK_BYTES + 5))

    sizes = [len(chunk) for chunk in InputFile(name="x", path=path).chunks()]

    assert [CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES, 5] == sizes


@pytest.mark.parametrize("compress", FORMATS)
def test_a_pipe_with_a_name_is_opened_once(tmp_path: Path, compress: Compress) -> None:
    """What a pipe gave is gone: looking at the first bytes must not lose them."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(compress(DATA)), daemon=True)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(content(pipe)), daemon=True)

    writer.start()
    reader.start()
    reader.join(1)

    assert [len(DATA)] == [len(data) for data in got]
    assert DATA == got[0]


def test_a_pipe_that_trickles_is_read_to_its_end(tmp_path: Path) -> None:
    """A writer may give one byte, wait, and go on."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as out:
            for byte in b"hello":
                out.write(bytes([byte]))

    threading.Thread(target=write, daemon=True).start()
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(content(pipe)), daemon=True)
    reader.start()
    reader.join(1)

    assert [b"hello"] == got


@pytest.mark.parametrize("compress", FORMATS)
def test_an_empty_file_is_refused(tmp_path: Path, compress: Compress) -> None:
    """Packed or not: nothing is in it."""
    path = written(tmp_path, "pod.log", compress(b""))

    with pytest.raises(BadInput, match="x is empty"):
        content(path)


def test_an_empty_file_is_let_through_where_that_is_an_answer(tmp_path: Path) -> None:
    """An engine that died at once wrote nothing, and that is known from elsewhere."""
    path = written(tmp_path, "engine.log", b"")

    assert [] == list(InputFile(name="x", path=path).chunks(allow_empty=True))


@pytest.mark.parametrize("compress", PACKED)
@pytest.mark.parametrize("kept", [0.01, 0.5, 0.99])
def test_a_packed_file_that_ends_too_early_is_refused(
    tmp_path: Path, compress: Compress, kept: float
) -> None:
    """Half a download is no log."""
    whole = compress(os.urandom(50_000))
    path = written(tmp_path, "pod.log.gz", whole[: max(8, int(len(whole) * kept))])

    with pytest.raises(BadInput, match="x is compressed and ends too early"):
        content(path)


@pytest.mark.parametrize("compress", PACKED)
@pytest.mark.parametrize("at", range(8, 3000, 331))
def test_a_packed_file_that_is_damaged_is_refused_or_read(
    tmp_path: Path, compress: Compress, at: int
) -> None:
    """Whichever byte is wrong: a sentence, never the library's own exception."""
    whole = compress(b"".join(b"line %d\n" % n for n in range(5000)))
    damaged = whole[:at] + bytes([whole[at % len(whole)] ^ 0xFF]) + whole[at + 1 :]
    path = written(tmp_path, "pod.log.gz", damaged)

    with suppress(BadInput):
        content(path)


def test_a_packed_body_of_nonsense_is_refused(tmp_path: Path) -> None:
    """A right head and nothing right behind it."""
    path = written(tmp_path, "pod.log.gz", gzip.compress(b"")[:10] + b"\xff" * 100)

    with pytest.raises(BadInput, match="x cannot be read"):
        content(path)


def test_standard_input_that_is_closed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python has none then."""
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(BadInput):
        content(None)


def test_a_file_that_vanished_is_refused(tmp_path: Path) -> None:
    """Between being found and being read."""
    with pytest.raises(BadInput, match="No such file"):
        content(tmp_path / "gone.log")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    """With the system's reason."""
    path = written(tmp_path, "pod.log", DATA)
    path.chmod(0)

    with pytest.raises(BadInput, match="Permission denied"):
        content(path)


def test_minus_is_standard_input() -> None:
    """As everywhere."""
    assert [InputFile(name="-", path=None)] == find_inputs("-")


def test_a_file_is_itself(tmp_path: Path) -> None:
    """Evidence calls it what it was called."""
    path = written(tmp_path, "anything", DATA)

    assert [InputFile(name=str(path), path=path)] == find_inputs(str(path))


def test_a_folder_is_its_logs(tmp_path: Path) -> None:
    """In the order of their names; neither folders nor other files."""
    for name in ("b.log", "a.txt", "c.log.gz", "d.log.1", "e.out", "f.err", "weights.bin"):
        written(tmp_path, name, DATA)
    (tmp_path / "folder.log").mkdir()

    names = [file.path.name for file in find_inputs(str(tmp_path)) if file.path]

    assert ["a.txt", "b.log", "c.log.gz", "d.log.1", "e.out", "f.err"] == names


@pytest.mark.parametrize(
    ("given", "reason"),
    [("none.log", "does not exist"), ("", "holds no log"), ("x" * 300, "cannot be read")],
)
def test_what_is_not_there_is_refused(tmp_path: Path, given: str, reason: str) -> None:
    """With what to do instead."""
    with pytest.raises(BadInput, match=reason) as refused:
        find_inputs(str(tmp_path / given))

    assert refused.value.remedy
