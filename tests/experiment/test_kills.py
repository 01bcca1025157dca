"""Whoever is killed loses nothing and repeats nothing."""

import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.experiment.lab import Lab, a_lab

pytestmark = pytest.mark.timeout(180)

STEPS = ({"technique": "compile-cache-local"},)
FEW, MANY = range(4), range(4, 20)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], float]:
    """The ledger of a run that nobody killed, and how long it took."""
    home = tmp_path_factory.mktemp("undisturbed")
    with a_lab(home) as lab:
        began = time.monotonic()
        done = lab.say("run", lab.plan(steps=STEPS), "--into", lab.run, "--yes")
        assert 0 == done.returncode, done.stderr
        return _places_of(lab), time.monotonic() - began


def _moment(seed: int, low: float, high: float) -> float:
    return random.Random(seed).uniform(low, high)  # noqa: S311 - a place to kill at


def _places_of(lab: Lab) -> list[dict[str, Any]]:
    """The ledger's lines but for the plan's digest, which knows the port and the folder."""
    return [{n: v for n, v in line.items() if n != "digest"} for line in lab.ledger()]


def _killed_and_resumed(lab: Lab, after_s: float) -> int:
    """How many times it took until it was done."""
    plan = lab.plan(steps=STEPS)
    running = lab.begun(plan)
    try:
        running.wait(timeout=after_s)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
    begun = (lab.run / "ledger.jsonl").exists() and (lab.run / "ledger.jsonl").read_bytes()
    words = ("resume", lab.run) if begun and b"\n" in begun else ("run", plan, "--into", lab.run)
    done = lab.say(*words, "--yes")
    assert 0 == done.returncode, done.stderr
    return running.returncode


def _goes_on(lab: Lab, undisturbed: tuple[list[dict[str, Any]], float], share: float) -> None:
    """Killed after a share of an undisturbed run's time, and resumed."""
    expected, seconds = undisturbed

    _killed_and_resumed(lab, share * seconds)

    assert expected == _places_of(lab)
    assert _folders(lab) == [line["folder"] for line in expected[1:]]


@pytest.mark.parametrize("seed", FEW)
def test_a_tool_that_was_killed_goes_on_where_it_was(
    lab: Lab, undisturbed: tuple[list[dict[str, Any]], float], seed: int
) -> None:
    """The ledger is the one of a run that nobody killed, but for times."""
    _goes_on(lab, undisturbed, _moment(seed, 0.2, 0.9))


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_a_tool_that_was_killed_anywhere_goes_on_where_it_was(
    lab: Lab, undisturbed: tuple[list[dict[str, Any]], float], seed: int
) -> None:
    """The same at more places, from before the first line to after the last."""
    _goes_on(lab, undisturbed, _moment(seed, 0.05, 1.0))


def _engine_killed(lab: Lab, after_s: float) -> list[dict[str, Any]]:
    running = lab.begun(lab.plan(steps=STEPS))
    lab.kill_an_engine(after_s=after_s, while_=running)
    assert 0 == running.wait(timeout=60)
    return _places_of(lab)


@pytest.mark.parametrize("seed", FEW)
def test_an_engine_that_was_killed_is_a_try_that_failed(
    lab: Lab, undisturbed: tuple[list[dict[str, Any]], float], seed: int
) -> None:
    """It is kept with its cause, its round is run again, and all others are as they would be."""
    expected, seconds = undisturbed

    found = _engine_killed(lab, _moment(seed, 0.2, 0.7) * seconds)

    _same_results(expected, found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_an_engine_that_was_killed_anywhere_is_a_try_that_failed(
    lab: Lab, undisturbed: tuple[list[dict[str, Any]], float], seed: int
) -> None:
    """The same at more places."""
    expected, seconds = undisturbed

    found = _engine_killed(lab, _moment(seed, 0.1, 0.9) * seconds)

    _same_results(expected, found)


def _same_results(expected: list[dict[str, Any]], found: list[dict[str, Any]]) -> None:
    """What came up is the same round by round; what did not says why."""
    failed = [line for line in found[1:] if line["outcome"] == "failed"]
    came_up = [line for line in found if line not in failed]
    nameless = {"folder", "attempt"}

    assert len(failed) <= 1
    assert all("was killed by SIGKILL" in line["cause"] for line in failed)
    assert [{n: v for n, v in line.items() if n not in nameless} for line in expected] == [
        {n: v for n, v in line.items() if n not in nameless} for line in came_up
    ]


def _folders(lab: Lab) -> list[str]:
    """The rounds' folders, in order of their making."""
    rounds = [path for path in (lab.run / "rounds").glob("*/round-*") if _is_done(path)]
    rounds.sort(key=lambda path: (path / "round.json").stat().st_mtime_ns)
    return [str(path.relative_to(lab.run)) for path in rounds]


def _is_done(folder: Path) -> bool:
    return (folder / "round.json").exists()
