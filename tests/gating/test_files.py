"""Files that a gateway reads again and again, and lines that it writes."""

import io
import json
import logging
import os
from itertools import pairwise
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


def test_without_a_bearer_token_the_file_is_not_even_read(tmp_path: Path) -> None:
    """Whoever has nothing to say costs nothing."""
    tokens = TokenFile(tmp_path / "none")

    assert not tokens.lets_in(None)
    assert not tokens.lets_in("Basic s3cret")
    with pytest.raises(NoToken):
        tokens.lets_in("Bearer s3cret")


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    """Nor opened: whoever writes to it would be sent away when it is closed again."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    state = StateFile(pipe)
    keeps = os.open(pipe, os.O_RDWR)
    try:
        os.write(keeps, b"Bearer\n")

        with pytest.raises(NoToken, match="it is no regular file"):
            TokenFile(pipe).lets_in("Bearer Bearer")
        with pytest.raises(OSError, match="it is no regular file"):
            LogTail(pipe).new()
        assert Kept() == state.read()
        assert f"{pipe} cannot be used: it is no regular file" == state.problem
        assert b"Bearer\n" == os.read(keeps, 100)
    finally:
        os.close(keeps)


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


def test_a_file_that_is_too_deep_is_passed_over(tmp_path: Path) -> None:
    """And said."""
    file = tmp_path / "state.json"
    file.write_text('{"schema": "firstlight.gate/1", "before": ' + "[" * 200_000)
    state = StateFile(file)

    assert Kept() == state.read()
    assert f"{file} cannot be used: " in (state.problem or "")


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
        lines.close()
    monkeypatch.setattr("sys.stderr", None)
    LogLines().say("state")

    broken.close()
    full.close()


def test_a_reader_that_stalls_holds_up_nobody() -> None:
    """What finds no room is dropped; the next line that finds some says how many those were."""
    reads, writes = os.pipe()
    with os.fdopen(writes, "w") as stream, os.fdopen(reads) as reader:
        lines = LogLines(stream)
        for number in range(3000):
            lines.say("state", number=number, why="x" * 100)
        # More than are in the pipe, so that some of the queue have followed.
        told = [json.loads(reader.readline()) for _ in range(1000)]
        lines.say("state", number=3000)
        while told[-1]["number"] != 3000:
            told.append(json.loads(reader.readline()))
        lines.close()

    following = [-1, *(line["number"] for line in told)]
    gaps = [after - before - 1 for before, after in pairwise(following)]
    assert gaps == [line.get("dropped", 0) for line in told]
    assert sum(gaps) > 1000


def test_what_was_said_last_is_written_before_the_end(tmp_path: Path) -> None:
    """All of it, in order."""
    with (tmp_path / "log").open("w") as stream:
        lines = LogLines(stream)
        for number in range(900):
            lines.say("state", number=number)
        lines.close()

    told = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert list(range(900)) == [line["number"] for line in told]


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
