"""Files that a gateway reads again and again, and lines that it writes."""

import io
import json
import logging
import os
from contextlib import suppress
from pathlib import Path

import pytest

from firstlight.edges.gate.log_lines import AsLines, LogLines
from firstlight.edges.gate.log_tail import LogTail
from firstlight.edges.gate.questions import Kind, Said
from firstlight.edges.gate.state_file import Before, Kept, StateFile
from firstlight.edges.gate.token_file import NoToken, TokenFile

KEPT = Kept(
    level=2,
    sleeps=3,
    in_use_bytes=(1, 2, 3),
    before=Before(
        model="m",
        once=Said(kind=Kind.COMPLETION, tokens=("1", "2"), took_s=0.5),
        twice=Said(kind=Kind.VECTOR, vector=(0.5, -1.0), took_s=0.25),
    ),
)


def test_a_log_is_read_on_from_where_it_was_read_to(tmp_path: Path) -> None:
    """A line that is not whole yet comes with its end; a new file is read from its beginning."""
    log = tmp_path / "log"
    tail = LogTail(log)
    assert b"" == tail.new()
    log.write_bytes(b"one\ntw")
    assert b"one\n" == tail.new()
    assert b"" == tail.new()
    with log.open("ab") as file:
        file.write(b"o\nthree\n")
    assert b"two\nthree\n" == tail.new()
    log.write_bytes(b"anew\n")
    assert b"anew\n" == tail.new()
    log.unlink()
    assert b"" == tail.new()
    log.write_bytes(b"another, and longer than all that was there before\n")
    assert b"another, and longer than all that was there before\n" == tail.new()


def test_of_a_log_that_is_too_long_the_end_is_read(tmp_path: Path) -> None:
    """Whoever looks once an hour at a log of megabytes."""
    log = tmp_path / "log"
    log.write_bytes(b"x" * 99 + b"\n" + (b"y" * 99 + b"\n") * 50_000)

    read = LogTail(log).new()

    assert 4 * 1024 * 1024 == len(read)
    assert read.endswith(b"y\n")


@pytest.mark.parametrize(
    ("said", "let_in"),
    [
        ("Bearer s3cret", True),
        ("bearer  s3cret ", True),
        ("Bearer s3cre", False),
        ("Bearer s3cretx", False),
        ("Bearer S3CRET", False),
        ("Basic s3cret", False),
        ("s3cret", False),
        ("Bearer", False),
        ("Bearer \udce4", False),
        ("", False),
        (None, False),
    ],
)
def test_a_token_is_that_token(tmp_path: Path, said: str | None, *, let_in: bool) -> None:
    """White space around it is an editor's."""
    file = tmp_path / "token"
    file.write_text(" s3cret\n")

    assert let_in is TokenFile(file).lets_in(said)


@pytest.mark.parametrize(
    ("text", "words"), [("", "is empty"), (" \n", "is empty"), ("x" * 5000, "is longer than")]
)
def test_a_file_without_a_token_lets_nobody_in(tmp_path: Path, text: str, words: str) -> None:
    """Not even whoever says nothing."""
    file = tmp_path / "token"
    file.write_text(text)

    with pytest.raises(NoToken, match=words.removeprefix("is ")):
        TokenFile(file).lets_in("Bearer ")


def test_what_is_kept_is_read_back(tmp_path: Path) -> None:
    """For its owner's eyes."""
    file = tmp_path / "state.json"

    StateFile(file).write(KEPT)

    assert KEPT == StateFile(file).read()
    assert 0o600 == file.stat().st_mode & 0o777
    assert "firstlight.gate/1" == json.loads(file.read_text())["schema"]


def test_a_disk_that_refuses_is_said(tmp_path: Path) -> None:
    """The gateway goes on without."""
    state = StateFile(tmp_path / "none" / "state.json")

    state.write(KEPT)

    assert f"{tmp_path}/none/state.json cannot be written: No such file or directory" == (
        state.problem
    )
    assert Kept() == state.read()
    assert state.problem is None


def test_a_file_of_a_newer_gateway_is_left_alone(tmp_path: Path) -> None:
    """Guessing would be worse."""
    file = tmp_path / "state.json"
    file.write_text('{"schema": "firstlight.gate/2", "level": "deep"}')
    state = StateFile(file)

    assert Kept() == state.read()
    assert "newer firstlight" in (state.problem or "")


def test_a_line_is_one_object() -> None:
    """Whatever is in it."""
    out = io.StringIO()

    LogLines(out, unix_ns=lambda: 1_700_000_000_123_000_000).say("state", why="a\nb", none=None)

    assert '{"at": "2023-11-14T22:13:20.123Z", "event": "state", "why": "a\\nb"}\n' == (
        out.getvalue()
    )


def test_a_line_that_cannot_be_written_is_lost_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody reads it, the disk is full, it is closed, or it never was open."""
    reads, writes = os.pipe()
    os.close(reads)
    broken, full = os.fdopen(writes, "w"), os.fdopen(os.open("/dev/full", os.O_WRONLY), "w")
    closed = io.StringIO()
    closed.close()

    for stream in (broken, full, closed):
        lines = LogLines(stream)
        for _ in range(3):
            lines.say("state", why="x" * 10_000)
        lines.say_seldom("refused", "full")
    monkeypatch.setattr("sys.stderr", None)
    LogLines().say("state")

    for file in (broken, full):
        with suppress(OSError):
            file.close()


def test_what_happens_often_is_said_seldom() -> None:
    """With how often it was not said."""
    out, now = io.StringIO(), [0]
    lines = LogLines(out, unix_ns=lambda: now[0], seldom_s=10)
    for at_s in (0, 1, 9, 10, 30):
        now[0] = at_s * 1_000_000_000
        lines.say_seldom("refused", "full", why="full")
    lines.say_seldom("refused", "draining", why="draining")

    told = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [("full", None), ("full", 2), ("full", None), ("draining", None)] == [
        (line["why"], line.get("unsaid")) for line in told
    ]


def test_what_a_library_logs_is_a_line_without_what_was_put_into_it() -> None:
    """A client's words may be among that."""
    out = io.StringIO()
    handler = AsLines(LogLines(out))
    broken = KeyError("a secret")
    record = logging.LogRecord(
        "a.library",
        logging.ERROR,
        "a/path.py",
        7,
        "broke at %s",
        ("a secret",),
        (KeyError, broken, None),
    )

    handler.handle(record)

    (line,) = [json.loads(line) for line in out.getvalue().splitlines()]
    assert ("a.library", "error", "broke at %s", "KeyError") == (
        line["of"],
        line["level"],
        line["words"],
        line["error"],
    )
    assert "secret" not in out.getvalue()
