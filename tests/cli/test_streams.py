"""Readers who go away before all is said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "rules" / "examples"
BAD = EXAMPLES / "sleep-mode-memory-share" / "bad.yaml"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["lint", "--list"], 0),
        (["lint", str(BAD)], 1),
        (["lint", "--output", "json", str(BAD)], 1),
        (["lint", "/there/is/nothing"], 2),
    ],
)
def test_the_exit_code_is_the_answers_whoever_reads_it(arguments: list[str], expected: int) -> None:
    """`| head` reads ten lines, or none: what was found is as true."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "firstlight.cli.main", *arguments],
        stdout=write,
        stderr=write,
        check=False,
    )
    os.close(write)
    assert expected == done.returncode


def test_a_closed_output_is_no_bug() -> None:
    """`>&-`: nobody wants to read it."""
    command = f"{sys.executable} -m firstlight.cli.main lint --list >&-"
    assert 0 == subprocess.run(["sh", "-c", command], check=False).returncode  # noqa: S607
