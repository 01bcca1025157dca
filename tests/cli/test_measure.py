"""`firstlight measure` as a process: one start, made, recorded and explained."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import SCRIPT, firstlight
from tests.fakes.processes import FakeEngine, a_fake_engine

# An engine is started and stopped in each; the fake takes part of a second for it.
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def fake() -> Iterator[FakeEngine]:
    """Ends in a search for processes left behind."""
    with a_fake_engine() as engine:
        yield engine


def measured(into: Path, *arguments: str, command: tuple[str, ...]) -> tuple[int, dict[str, Any]]:
    """The exit code and the document."""
    done = firstlight(
        "measure", "--into", into, "--output", "json", "--no-probe", *arguments, "--", *command
    )
    assert b"Traceback" not in done.stderr
    assert 1 == len(done.stdout.decode().splitlines()), done.stderr.decode()
    document: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, document


def test_a_start_is_measured_and_explained(fake: FakeEngine, tmp_path: Path) -> None:
    """From the ask to the answer, and one token beyond; saved where it says."""
    code, document = measured(tmp_path, command=fake.command("--health-after", "0.2"))
    (start,) = document["starts"]

    assert 0 == code
    assert "firstlight.explain/1" == document["schema"]
    assert ("ready", "process_started", "health_200") == (
        start["outcome"],
        start["total_from"],
        start["total_to"],
    )
    assert start["total_s"] >= 0.2
    assert start["first_token_s"] > 0
    assert {"round.json", "engine.log"} <= {p.name for p in Path(document["folders"][0]).iterdir()}


def test_a_saved_round_is_explained_again(fake: FakeEngine, tmp_path: Path) -> None:
    """Later, elsewhere, without the engine: the same answer."""
    _, document = measured(tmp_path, "--label", "kept", command=fake.command())

    again = firstlight("explain", tmp_path / "kept", "--output", "json")

    assert 0 == again.returncode
    assert document["starts"] == json.loads(again.stdout)["starts"]


def test_an_engine_that_dies_ends_with_three(fake: FakeEngine, tmp_path: Path) -> None:
    """The record is kept, the document printed, and the sentence said."""
    done = firstlight(
        "measure",
        *("--into", tmp_path, "--output", "json", "--no-probe", "--"),
        *fake.command("--die-after", "0.1", "--code", "7", "--never-listen"),
    )
    (start,) = json.loads(done.stdout)["starts"]

    assert 3 == done.returncode
    assert "failed" == start["outcome"]
    assert b"\nfirstlight: " in b"\n" + done.stderr
    assert b"Traceback" not in done.stderr


def test_a_command_that_is_none_is_said_in_a_sentence(tmp_path: Path) -> None:
    """Nothing is started, so nothing is measured."""
    done = firstlight("measure", "--into", tmp_path, "--", "/no/such/program")

    assert 3 == done.returncode
    assert b"firstlight: " in done.stderr
    assert b"/no/such/program" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--"],
        ["no-such-program"],
        ["--rounds", "0", "--", "true"],
        ["--label", "../x", "--", "true"],
        ["--label", "", "--", "true"],
        ["--timeout", "nan", "--", "true"],
        ["--timeout", "inf", "--", "true"],
        ["--grace", "nan", "--", "true"],
        ["--output", "yaml", "--", "true"],
    ],
)
def test_wrong_usage_starts_nothing(tmp_path: Path, arguments: list[str]) -> None:
    """Exit code 2, and no folder."""
    done = firstlight("measure", "--into", tmp_path / "runs", *arguments)

    assert 2 == done.returncode
    assert b"" == done.stdout
    assert b"Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


def test_an_interrupted_series_says_what_it_leaves(fake: FakeEngine, tmp_path: Path) -> None:
    """Ctrl-C in the second round: how many came before, and how to read them."""
    command = [str(SCRIPT), "measure", "--into", str(tmp_path), "--rounds", "5", "--no-probe", "--"]
    with subprocess.Popen(
        [*command, *fake.command("--health-after", "0.1")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as measuring:
        assert measuring.stderr is not None
        said = b""
        for line in measuring.stderr:
            said += line
            if b"round 2 of 5" in line and b"waiting" in line:
                measuring.send_signal(signal.SIGINT)
                break
        said += measuring.stderr.read()

    assert 130 == measuring.returncode
    assert b"interrupted; 1 finished before" in said
    assert f"firstlight explain {tmp_path}/run".encode() in said


def test_a_control_needs_a_probe_to_control(tmp_path: Path) -> None:
    """Both together would measure the same thing twice and call the difference a cost."""
    done = firstlight("measure", "--into", tmp_path, "--no-probe", "--control", "--", "true")

    assert 2 == done.returncode
    assert b"--control measures what the probe costs" in done.stderr
    assert not list(tmp_path.iterdir())
