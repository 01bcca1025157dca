"""Whatever a name leads to, nobody waits for it."""

import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput
from firstlight.edges.decision_files import read_kept
from firstlight.edges.given_file import open_given, read_given
from firstlight.edges.input_files import find_inputs
from firstlight.edges.ledger_file import LedgerFile
from firstlight.edges.manifest_files import manifest_file
from firstlight.edges.run_folder import RunFolder
from firstlight.edges.stored_round import read_listing, read_round
from firstlight.wiring.experimenting.opening import prepared_file
from tests.cli.console import SCRIPT, START


def a_pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def test_a_file_is_read(tmp_path: Path) -> None:
    """All of it, or as much as is wanted."""
    (tmp_path / "a").write_bytes(b"abc")

    assert b"abc" == read_given(tmp_path / "a")
    with open_given(tmp_path / "a") as file:
        assert (b"ab", b"c") == (file.peek(2)[:2], file.read()[2:])


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe that nobody writes to, a device that never ends, a folder; a link to one too."""
    (tmp_path / "link").symlink_to(a_pipe(tmp_path / "pipe"))
    began = time.monotonic()

    for path, words in (
        (tmp_path / "link", "it is a named pipe that nobody writes to"),
        (Path("/dev/zero"), "it is a device"),
        (tmp_path, "it is a folder"),
    ):
        with pytest.raises(OSError, match=words):
            read_given(path)

    assert 2 > time.monotonic() - began
    assert 1 == threading.active_count()


def test_a_pipe_that_the_shell_hands_over_is_read() -> None:
    """As `<(command)` does: it is open already, and may not have been written to yet."""
    reading, writing = os.pipe()
    with subprocess.Popen(
        ["sh", "-c", f"sleep 0.3; echo hello > /dev/fd/{writing}"],  # noqa: S607
        pass_fds=[writing],
    ):
        os.close(writing)
        try:
            assert b"hello\n" == read_given(Path(f"/dev/fd/{reading}"))
        finally:
            os.close(reading)


def _log(path: Path) -> None:
    for file in find_inputs(str(path)):
        list(file.chunks())


_READERS: dict[str, Callable[[Path], object]] = {
    "log": _log,
    "kept": read_kept,
    "manifest": lambda path: manifest_file(str(path)),
    "plan": lambda path: prepared_file(path, {}),
    "ledger.jsonl": lambda path: LedgerFile(path.parent).read(),
    "plan.yaml": lambda path: RunFolder(path=path.parent).plan(),
    "round.json": lambda path: read_round(path.parent),
    "cache-before.json": lambda path: read_listing(path.parent, path.name),
}


@pytest.mark.parametrize("name", _READERS)
def test_everything_that_reads_files_says_so(tmp_path: Path, name: str) -> None:
    """In a sentence with the name."""
    path = a_pipe(tmp_path / name)

    with pytest.raises(BadInput, match="cannot be read: it is a named pipe") as error:
        _READERS[name](path)

    assert str(path) in error.value.message


@pytest.mark.timeout(30)
@pytest.mark.parametrize("words", [("explain",), ("experiment", "plan"), ("report",), ("lint",)])
def test_commands_end_with_wrong_usage(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = a_pipe(tmp_path / "x.json")

    done = subprocess.run(
        [SCRIPT, *words, path],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=20,
    )

    assert (2, ["x.json"]) == (done.returncode, [p.name for p in tmp_path.iterdir()])
    assert "it is a named pipe" in done.stderr


@pytest.mark.timeout(30)
def test_a_log_of_another_command_is_still_explained() -> None:
    """Process substitution and standard input, as before."""
    script = f"{SCRIPT} explain <(sleep 0.2; cat) --output json"

    done = subprocess.run(
        ["bash", "-c", script],  # noqa: S607
        input=START,
        capture_output=True,
        check=False,
        timeout=20,
    )

    assert (0, b"") == (done.returncode, done.stderr)
    assert b'"total_s"' in done.stdout
