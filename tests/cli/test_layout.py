"""How the answer is laid out where it goes."""

import tarfile
from pathlib import Path

import pytest

from tests.cli.console import START, firstlight


def lines_at(columns: int) -> list[str]:
    done = firstlight("explain", "-", stdin=START, env={"COLUMNS": str(columns)})
    assert 0 == done.returncode
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("columns", [60, 80, 100, 140])
def test_a_number_is_never_cut(columns: int) -> None:
    """However narrow: seconds and shares are whole, and no line is wider than was asked."""
    lines = lines_at(columns)

    (total,) = (line for line in lines if line.startswith("total"))
    assert ["total", "180.0", "100", "%"] == total.split()
    assert max(map(len, lines)) <= columns


def test_a_bar_is_drawn_where_there_is_room() -> None:
    """Below 100 columns the proof needs the room."""
    assert not any("█" in line for line in lines_at(99))
    assert any("█" in line for line in lines_at(100))


def test_piped_lines_end_where_their_words_end() -> None:
    """Blanks that pad a table have no place in a ticket."""
    assert not [line for line in lines_at(140) if line.endswith(" ")]


def test_the_speed_of_a_link_is_given_once() -> None:
    """Two could disagree."""
    done = firstlight("explain", "-", "--link-gbps", "3", "--node-type", "g6.xlarge", stdin=START)

    assert 2 == done.returncode
    assert b"give one of them" in done.stderr


def test_a_tar_archive_is_not_taken_for_a_log(tmp_path: Path) -> None:
    """Its header would be glued to the log's first line."""
    archive = tmp_path / "a.tar"
    archive.write_bytes(b"pod.log".ljust(257, b"\0") + b"ustar\x0000".ljust(255, b"\0") + START)

    done = firstlight("explain", archive)

    assert 2 == done.returncode
    assert b"is a damaged tar archive" in done.stderr


def test_the_logs_of_an_archive_are_explained_by_their_names_in_it(tmp_path: Path) -> None:
    """Compressed or not, without unpacking anything to disk."""
    (tmp_path / "pod.log").write_bytes(START)
    for name, mode in (("a.tar", "w"), ("a.tar.gz", "w:gz")):
        with tarfile.open(tmp_path / name, mode) as archive:  # type: ignore[call-overload]
            archive.add(tmp_path / "pod.log", "bundle/logs/pod.log")

        done = firstlight("explain", tmp_path / name)

        assert 0 == done.returncode
        assert f"{name}:bundle/logs/pod.log · vLLM 0.26.0 · ready".encode() in done.stdout


def test_a_round_that_was_never_finished_is_read_from_its_log(tmp_path: Path) -> None:
    """Whoever killed `measure` hard finds its raw log under the label all the same."""
    for number, log in (("round-01", START), ("round-02", b"")):
        (tmp_path / "label" / number).mkdir(parents=True)
        (tmp_path / "label" / number / "engine.log").write_bytes(log)

    done = firstlight("explain", tmp_path / "label")

    assert 0 == done.returncode
    assert b"round-01/engine.log" in done.stdout
    assert b"ready in 180.0 s" in done.stdout


def test_an_empty_file_beside_a_log_is_passed_over(tmp_path: Path) -> None:
    """A folder of a pod's streams: the other one was silent."""
    (tmp_path / "pod.out").write_bytes(START)
    (tmp_path / "pod.err").touch()

    done = firstlight("explain", tmp_path)

    assert 0 == done.returncode
    assert b"pod.out" in done.stdout
