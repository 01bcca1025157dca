"""Whoever is killed loses nothing and repeats nothing."""

import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.experiment.conftest import Undisturbed
from tests.experiment.lab import Lab, until

pytestmark = pytest.mark.timeout(180)

FEW, MANY = range(4), range(4, 20)
SIGKILLED = -9


def _moment(seed: int, low: float, high: float) -> float:
    return random.Random(seed).uniform(low, high)  # noqa: S311 - a place to kill at


def _killed_and_resumed(lab: Lab, plan: Path, after_s: float, *, finished: int = 0) -> int:
    """How the run ended that was killed after so long, before another came to its end."""
    running = lab.begun(plan)
    until(lambda: lab.rounds() >= finished)
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


def _is_whole(lab: Lab, undisturbed: Undisturbed) -> None:
    """The ledger is the one of a run that nobody killed, and so are the folders."""
    assert undisturbed.ledger == lab.placeless()
    assert _folders(lab) == [line["folder"] for line in undisturbed.ledger[1:]]


@pytest.mark.parametrize("seed", FEW)
def test_a_tool_that_was_killed_goes_on_where_it_was(
    lab: Lab, undisturbed: Undisturbed, seed: int
) -> None:
    """The ledger is the one of a run that nobody killed, but for times."""
    # So slow that a round takes longer than the wait, and it is still there.
    plan = lab.plan(environment={"FAKE_UNHURRIED": "10"})
    finished = seed % (len(undisturbed.ledger) - 1)

    assert SIGKILLED == _killed_and_resumed(lab, plan, _moment(seed, 0.0, 0.2), finished=finished)

    _is_whole(lab, undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_a_tool_that_was_killed_anywhere_goes_on_where_it_was(
    lab: Lab, undisturbed: Undisturbed, seed: int
) -> None:
    """The same at more places, from before the first line to after the last."""
    after_s = _moment(seed, 0.05, 1.0) * undisturbed.seconds

    assert _killed_and_resumed(lab, lab.plan(), after_s) in {0, SIGKILLED}

    _is_whole(lab, undisturbed)


def _killed_in_its_start(lab: Lab, seed: int, finished: int) -> list[dict[str, Any]]:
    """The ledger of a run whose next engine is killed before it is ready."""
    # So slow that it needs four tenths of a second at least.
    running = lab.begun(lab.plan(environment={"FAKE_UNHURRIED": "10"}))
    until(lambda: lab.rounds() >= finished)
    until(lab.engines)
    time.sleep(_moment(seed, 0.0, 0.2))
    assert lab.kill_engines() > 0
    assert 0 == running.wait(timeout=60)
    return lab.placeless()


def _killed_while_it_is_asked(lab: Lab, seed: int, finished: int) -> list[dict[str, Any]]:
    """The ledger of a run whose next engine is killed when it serves."""
    seen = lab.home / "asked"
    running = lab.begun(lab.plan(environment={"FAKE_ASKED": str(seen)}))
    until(lambda: lab.rounds() >= finished)
    seen.unlink(missing_ok=True)
    until(seen.exists)
    time.sleep(_moment(seed, 0.0, 0.5))
    assert lab.kill_engines() > 0
    assert 0 == running.wait(timeout=60)
    return lab.placeless()


MOMENTS = {"start": _killed_in_its_start, "serving": _killed_while_it_is_asked}
WHEN = [
    pytest.param(
        moment,
        seed,
        seed % 4,
        marks=() if seed in {0, 3} else pytest.mark.slow,
        id=f"{moment}-{seed}",
    )
    for moment in MOMENTS
    for seed in range(10)
]


@pytest.mark.parametrize(("moment", "seed", "finished"), WHEN)
def test_an_engine_that_was_killed_is_a_try_that_failed(
    lab: Lab, undisturbed: Undisturbed, moment: str, seed: int, finished: int
) -> None:
    """It is kept with its cause, its round is run again, and all others are as they would be."""
    found = MOMENTS[moment](lab, seed, finished)

    failed = [line for line in found[1:] if line["outcome"] == "failed"]
    assert 1 == len(failed)
    assert "was killed by SIGKILL" in failed[0]["cause"]
    came_up = [_nameless(line) for line in found if line not in failed]
    assert [_nameless(line) for line in undisturbed.ledger] == came_up


def _nameless(line: dict[str, Any]) -> dict[str, Any]:
    """A line but for which try it was."""
    return {name: value for name, value in line.items() if name not in {"folder", "attempt"}}


def _folders(lab: Lab) -> list[str]:
    """The rounds' folders, in order of their making."""
    rounds = [path for path in (lab.run / "rounds").glob("*/round-*") if _is_done(path)]
    rounds.sort(key=lambda path: (path / "round.json").stat().st_mtime_ns)
    return [str(path.relative_to(lab.run)) for path in rounds]


def _is_done(folder: Path) -> bool:
    return (folder / "round.json").exists()
