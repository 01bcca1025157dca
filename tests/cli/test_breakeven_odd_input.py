"""What is odd about the numbers given to `breakeven`, said in plain words."""

from pathlib import Path

import pytest

from tests.cli.console import firstlight, said

pytestmark = pytest.mark.timeout(30)

PRICES = ("--node-per-hour", "3.6", "--penalty-per-s", "0.002")
STARTS = ("--cold-s", "428", "--warm-s", "335")


def shown(*arguments: str | Path) -> str:
    """What people read."""
    done = firstlight("breakeven", *PRICES, *arguments, env={"COLUMNS": "1000"})
    assert ("", 0) == (said(done), done.returncode)
    return done.stdout.decode()


def test_warm_starts_that_are_longer_are_asked_about() -> None:
    """By how much, in seconds, and no sentence about what a hit saves."""
    text = shown("--cold-s", "100", "--warm-s", "335", "--per-hour", "2")

    assert "a hit costs 235.0 s more (no interval)" in text
    assert "are cold and warm swapped?" in text
    assert "a hit saves" not in text


def test_a_longer_warm_start_has_its_interval_the_right_way_round() -> None:
    """The smaller number first."""
    stated = ("--cold-s", "99,100,101,102", "--warm-s", "333,334,335,336")
    text = shown(*stated, "--per-hour", "2")

    assert "a hit costs 234.0 s more (231.0 s to 237.0 s" in text


def test_no_interval_is_spoken_of_where_there_is_none(tmp_path: Path) -> None:
    """One number that somebody stated has no spread."""
    (log := tmp_path / "log.csv").write_text("0\n4000\n9000\n")

    text = shown(*STARTS, "--requests", log)

    assert "too few to be sure of a day\n" in text


def test_one_is_one() -> None:
    """A request an hour is no requests."""
    assert "1 request an hour" in shown(*STARTS, "--per-hour", "1")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--per-hour", "2", "--facts", "-"], "--facts wants the name of a new file"),
        (["--per-hour", "2", "--facts", ""], "--facts wants the name of a new file"),
        (["--requests", ""], "--requests wants the name of a file, or -"),
        (["--requests", "empty.csv"], "empty.csv holds no request\n  give one request a line"),
        (["--requests", "same.csv"], "same.csv holds 3 requests, all at one moment"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what is wrong and what to give instead."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "same.csv").write_text("5\n5\n5\n")

    done = firstlight("breakeven", *PRICES, *STARTS, *arguments)

    assert 2 == done.returncode
    assert expected in said(done)
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("written", ["1_00", "\u0661\u0660", "nan"])
def test_seconds_are_written_in_plain_digits(written: str) -> None:
    """Python would read the first two as numbers."""
    done = firstlight("breakeven", *PRICES, "--per-hour", "2", "--cold-s", written)

    assert 2 == done.returncode
    assert "--cold-s" in said(done)
