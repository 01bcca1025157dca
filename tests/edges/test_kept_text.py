"""Made once, read afterwards, made again where it is not what it was."""

from pathlib import Path

import pytest

from firstlight.edges.kept_text import kept_text

NAME = "charts-1.js"


def text(home: Path, made: str, **environment: str) -> str:
    return kept_text(NAME, lambda: made, environment=environment, home=home)


def test_it_is_made_once(tmp_path: Path) -> None:
    """The second maker is not asked."""
    assert "one é\n" == text(tmp_path, "one é\n")
    assert "one é\n" == text(tmp_path, "two")
    file = tmp_path / ".cache" / "firstlight" / "made" / NAME
    assert 0o600 == file.stat().st_mode & 0o777


@pytest.mark.parametrize(
    "spoil", [lambda d: d[:-1], lambda d: d + b"x", lambda _: b"\xff", bytes.lower]
)
def test_what_is_not_what_it_was_is_made_again(tmp_path: Path, spoil: object) -> None:
    """And kept again."""
    text(tmp_path, "ONE")
    file = tmp_path / ".cache" / "firstlight" / "made" / NAME
    file.write_bytes(spoil(file.read_bytes()))  # type: ignore[operator]

    assert "TWO" == text(tmp_path, "TWO")
    assert "TWO" == text(tmp_path, "THREE")


def test_where_nothing_can_be_kept_it_is_made(tmp_path: Path) -> None:
    """Each time."""
    (tmp_path / "file").touch()

    assert "one" == text(tmp_path, "one", XDG_CACHE_HOME=str(tmp_path / "file"))
    assert "two" == text(tmp_path, "two", XDG_CACHE_HOME=str(tmp_path / "file"))
