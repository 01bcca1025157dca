"""`firstlight explain` as a process: input in any shape, one answer, one exit code."""

import bz2
import gzip
import json
import lzma
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.console import ANOTHER_PROGRAM, BINARY, SCRIPT, START, explained, firstlight, said

# A process of its own takes its time to start on a busy machine.
pytestmark = pytest.mark.timeout(30)


def written(folder: Path, name: str, data: bytes) -> Path:
    """A file with these bytes."""
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_file_is_explained(tmp_path: Path) -> None:
    """The answer is on standard output, and nothing on standard error."""
    log = written(tmp_path, "pod.log", START)

    done = firstlight("explain", log)

    assert "" == said(done)
    assert 0 == done.returncode
    assert done.stdout.decode().startswith(f"{log} · vLLM 0.26.0 · ready in 180.0 s ± 2 s")


def test_standard_input_is_a_file_called_minus() -> None:
    """`kubectl logs ... | firstlight explain -`."""
    (start,) = explained("-", stdin=START)["starts"]

    assert "-" == start["source"]
    assert [180.0, [59.5]] == [start["total_s"], start["facts"]["weights_s"]]


def test_several_files_are_explained_in_the_order_given(tmp_path: Path) -> None:
    """Each is named as it was given."""
    second = written(tmp_path, "b.log", START)
    first = written(tmp_path, "a.log", START)

    starts = explained(second, first)["starts"]

    assert [str(second), str(first)] == [start["source"] for start in starts]


def test_the_logs_of_a_folder_are_explained_in_the_order_of_their_names(tmp_path: Path) -> None:
    """Only what looks like a log is read."""
    written(tmp_path, "b.log", START)
    written(tmp_path, "a.txt", START)
    written(tmp_path, "model.safetensors", BINARY)

    starts = explained(tmp_path)["starts"]

    assert [str(tmp_path / "a.txt"), str(tmp_path / "b.log")] == [s["source"] for s in starts]


@pytest.mark.parametrize("name", ["pod.log.gz", "pod.log", "pod"])
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_log_is_a_log(
    tmp_path: Path, compress: Callable[[bytes], bytes], name: str
) -> None:
    """Whatever it is called: the first bytes tell."""
    (start,) = explained(written(tmp_path, name, compress(START)))["starts"]

    assert 180.0 == start["total_s"]


def test_one_json_document_is_printed(tmp_path: Path) -> None:
    """For several files too: one object, nothing around it."""
    log = written(tmp_path, "pod.log", START)

    done = firstlight("explain", log, log, "--output", "json")

    assert 1 == len(done.stdout.decode().splitlines())
    assert "firstlight.explain/1" == json.loads(done.stdout)["schema"]


def test_all_names_everything(tmp_path: Path) -> None:
    """`--all` prints at least what the short form prints."""
    log = written(tmp_path, "pod.log", START)

    short, long = firstlight("explain", log), firstlight("explain", log, "--all")

    assert [0, 0] == [short.returncode, long.returncode]
    assert len(long.stdout) >= len(short.stdout)


@pytest.mark.parametrize("option", [("--link-gbps", "50"), ("--node-type", "g7e.2xlarge")])
def test_the_share_of_the_link_is_said_where_its_speed_is_known(
    tmp_path: Path, option: tuple[str, str]
) -> None:
    """By number or by the node's type."""
    size = b"Filesystem type for checkpoints: EXT4. Checkpoint size: 31.20 GiB. x\n"
    first, rest = START.split(b"\n", 1)
    log = written(tmp_path, "pod.log", first + b"\n" + size + rest)

    (start,) = explained(log, *option)["starts"]

    assert [50.0] == [transfer["link_gbps"] for transfer in start["transfers"]]


def broken(data: bytes, at: int) -> bytes:
    """The bytes with one of them changed."""
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


NOISE = os.urandom(20_000)

BAD_INPUT: dict[str, Callable[[Path], list[str | Path]]] = {
    "a missing file": lambda d: [d / "none.log"],
    "a missing folder": lambda d: [d / "none" / "x.log"],
    "a name that is too long": lambda d: [d / ("x" * 300)],
    "a folder without logs": lambda d: [d],
    "an empty file": lambda d: [written(d, "empty.log", b"")],
    "an empty compressed file": lambda d: [written(d, "empty.gz", gzip.compress(b""))],
    "a binary": lambda d: [written(d, "binary.log", BINARY)],
    "a compressed binary": lambda d: [written(d, "binary.gz", gzip.compress(BINARY))],
    "a truncated gz": lambda d: [written(d, "cut.gz", gzip.compress(START)[:-12])],
    "a truncated bz2": lambda d: [written(d, "cut.bz2", bz2.compress(START)[:-12])],
    "a truncated xz": lambda d: [written(d, "cut.xz", lzma.compress(START)[:-12])],
    "a damaged gz": lambda d: [written(d, "bad.gz", broken(gzip.compress(NOISE), 10_000))],
    "a damaged gz head": lambda d: [written(d, "bad.gz", b"\x1f\x8b" + NOISE)],
    "a damaged gz body": lambda d: [written(d, "bad.gz", gzip.compress(b"")[:10] + b"\xff" * 100)],
    "a damaged bz2": lambda d: [written(d, "bad.bz2", broken(bz2.compress(NOISE), 10_000))],
    "a damaged xz": lambda d: [written(d, "bad.xz", broken(lzma.compress(NOISE), 10_000))],
    "a good file and a missing one": lambda d: [written(d, "a.log", START), d / "none.log"],
    "an unknown node type": lambda d: [written(d, "a.log", START), "--node-type", "x9.huge"],
    "a link of no speed": lambda d: [written(d, "a.log", START), "--link-gbps", "0"],
    "a link of nan": lambda d: [written(d, "a.log", START), "--link-gbps", "nan"],
    "a link of endless speed": lambda d: [written(d, "a.log", START), "--link-gbps", "inf"],
    "no file": lambda _: [],
    "an unknown option": lambda _: ["--frobnicate"],
    "an unknown output": lambda d: [written(d, "a.log", START), "--output", "yaml"],
}


@pytest.mark.parametrize("what", BAD_INPUT)
def test_bad_input_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    """Exit code 2, nothing on standard output, and what to do about it."""
    done = firstlight("explain", *BAD_INPUT[what](tmp_path))

    assert 2 == done.returncode
    assert b"" == done.stdout
    assert len(said(done).splitlines()) in {2, 4}


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("a missing file", "does not exist"),
        ("a folder without logs", "holds no log"),
        ("an empty file", "is empty"),
        ("a binary", "is binary, not a log"),
        ("a truncated gz", "is compressed and ends too early"),
        ("a damaged gz", "cannot be read"),
        ("an unknown node type", "node type x9.huge is not known"),
    ],
)
def test_the_sentence_says_what_is_wrong_and_the_next_line_what_to_do(
    tmp_path: Path, what: str, sentence: str
) -> None:
    """One sentence and one remedy; the file is named."""
    arguments = BAD_INPUT[what](tmp_path)

    error, remedy = said(firstlight("explain", *arguments)).splitlines()

    assert error.startswith("firstlight: ")
    assert sentence in error
    assert str(arguments[0]) in error or "node type" in error
    assert remedy.startswith("  ")


@pytest.mark.parametrize(
    "log",
    [ANOTHER_PROGRAM, b"Traceback (most recent call last):\nValueError: x\n", b"\n", b"x"],
    ids=["another program's", "a traceback", "a newline", "a letter"],
)
def test_a_log_that_is_not_of_vllm_is_answered_with_no(tmp_path: Path, log: bytes) -> None:
    """Readable, and no start in it: exit code 1, and how to get the right log."""
    path = written(tmp_path, "other.log", log)

    done = firstlight("explain", path)
    error, remedy = said(done).splitlines()

    assert 1 == done.returncode
    assert b"" == done.stdout
    assert f"firstlight: {path}: no line of a vLLM start is in it" == error
    assert "kubectl logs" in remedy


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """The system's reason is given."""
    log = written(tmp_path, "pod.log", START)
    log.chmod(0)

    done = firstlight("explain", log)

    assert 2 == done.returncode
    assert "Permission denied" in said(done)


def test_standard_input_that_is_closed() -> None:
    """`firstlight explain - <&-`."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{SCRIPT}' explain - <&-"], capture_output=True, check=False
    )

    assert "firstlight: - " in said(done)
    assert 2 == done.returncode


def test_standard_input_that_is_empty() -> None:
    """A pipe from a command that printed nothing."""
    done = firstlight("explain", "-", stdin=b"")

    assert "firstlight: - is empty" in said(done)
    assert 2 == done.returncode


def test_standard_input_may_be_compressed() -> None:
    """`cat pod.log.gz | firstlight explain -` is what people type."""
    (start,) = explained("-", stdin=gzip.compress(START))["starts"]

    assert 180.0 == start["total_s"]


@pytest.mark.parametrize("size", [len(START), 300_000])
def test_a_pipe_with_a_name_is_read_once(tmp_path: Path, size: int) -> None:
    """`firstlight explain <(kubectl logs POD)`: what was read from a pipe cannot be read again."""
    log = START + b"x\n" * ((size - len(START)) // 2)

    done = subprocess.run(
        [
            "/bin/bash",
            "-c",
            f"'{SCRIPT}' explain --output json <(cat '{written(tmp_path, 'l', log)}')",
        ],
        capture_output=True,
        check=False,
    )

    assert "" == said(done)
    assert 180.0 == json.loads(done.stdout)["starts"][0]["total_s"]


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, output: str) -> None:
    """`| head -1`: no traceback, and nothing went wrong."""
    log = written(tmp_path, "pod.log", START * 400)
    done = subprocess.run(
        [
            "/bin/bash",
            "-c",
            f"set -o pipefail; '{SCRIPT}' explain '{log}' --all --output {output} | head -c 1",
        ],
        capture_output=True,
        check=False,
    )

    assert "" == said(done)
    assert 0 == done.returncode


def test_no_escape_sequence_is_printed_where_no_terminal_is(tmp_path: Path) -> None:
    """Neither our colours nor the log's."""
    name = written(tmp_path, "a\x1b[31m\x1b]0;title\x07[bold]b.log", START)

    done = firstlight("explain", name)

    assert b"\x1b" not in done.stdout
    assert "a\\x1b[31m\\x1b]0;title\\x07[bold]b.log · vLLM" in done.stdout.decode()


def test_no_escape_sequence_is_printed_in_an_error(tmp_path: Path) -> None:
    """A file may be called anything; an error is read on a terminal too."""
    done = firstlight("explain", tmp_path / "a\x1b]0;title\x07b.log")

    assert b"\x1b" not in done.stderr
    assert b"\x07" not in done.stderr
    assert "does not exist" in said(done)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_of_the_output_will_do(tmp_path: Path, encoding: str) -> None:
    """A terminal that cannot show an arrow gets something else in its place."""
    log = written(tmp_path, "pod.log", START)

    done = firstlight("explain", log, env={"PYTHONIOENCODING": encoding, "LC_ALL": "C"})

    assert "" == said(done)
    assert 0 == done.returncode
    assert b"ready in 180.0 s" in done.stdout


def test_the_name_of_a_file_may_be_any_bytes(tmp_path: Path) -> None:
    """Linux allows it."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.log"))
    path.write_bytes(START)

    done = firstlight("explain", path)

    assert "" == said(done)
    assert "\\udcff\\udcfe.log · vLLM" in done.stdout.decode()
    assert (
        "\udcff"
        in json.loads(firstlight("explain", path, "--output", "json").stdout)["starts"][0]["source"]
    )
