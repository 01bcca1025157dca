"""Whoever is killed again and again, or before the first line, still loses and repeats nothing."""

import random
import subprocess

import pytest

from tests.experiment.conftest import Undisturbed
from tests.experiment.lab import Lab

pytestmark = pytest.mark.timeout(240)

STEPS = ({"technique": "compile-cache-local"}, {"change": "b", "process": {"wrapper": ["env"]}})


def _killed_often(lab: Lab, seed: int, times: int) -> int:
    """How many of so many kills hit a process; each comes a moment after its begin."""
    dice, hits = random.Random(seed), 0  # noqa: S311 - places to kill at
    plan = lab.plan(steps=STEPS)
    for _ in range(times):
        with lab.begun(plan) as running:
            try:
                running.wait(timeout=dice.uniform(0.5, 1.6))
            except subprocess.TimeoutExpired:
                running.kill()
                hits += 1
    done = lab.say("run", plan, "--into", lab.run, "--yes")
    assert 0 == done.returncode, done.stderr
    return hits


@pytest.mark.parametrize(
    ("seed", "times"),
    [(0, 3), *(pytest.param(seed, 8, marks=pytest.mark.slow) for seed in range(1, 5))],
)
def test_who_is_killed_again_and_again_comes_to_the_same_end(
    lab: Lab, undisturbed: Undisturbed, seed: int, times: int
) -> None:
    """Also while what the last kill left is being put aside."""
    assert _killed_often(lab, seed, times) > 0
    assert undisturbed.ledger == lab.placeless()


@pytest.mark.parametrize("left", [[".lock"], [".plan.yaml.unfinished"], ["plan.yaml", ".lock"]])
def test_a_kill_before_the_first_line_leaves_a_folder_that_can_be_used(
    lab: Lab, left: list[str]
) -> None:
    """It holds nothing that anybody measured."""
    lab.run.mkdir()
    for name in left:
        (lab.run / name).write_text("half of a pl")

    done = lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    assert 3 == len(lab.ledger())
    assert not (lab.run / ".plan.yaml.unfinished").exists()


def test_what_is_somebody_elses_is_no_left_over(lab: Lab) -> None:
    """One file more, and nothing is touched."""
    lab.run.mkdir()
    (lab.run / "plan.yaml").write_text("mine")
    (lab.run / "notes").touch()

    done = lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes")

    assert 2 == done.returncode
    assert "holds something else already" in done.stderr
    assert "mine" == (lab.run / "plan.yaml").read_text()


def test_a_kill_after_the_last_round_leaves_no_layers(lab: Lab) -> None:
    """They hold caches of gigabytes, and are no record."""
    assert 0 == lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes").returncode
    before = lab.ledger()
    (lab.run / "layers" / "nodes" / "00").mkdir(parents=True)

    done = lab.say("resume", lab.run)

    assert 0 == done.returncode, done.stderr
    assert not (lab.run / "layers").exists()
    assert before == lab.ledger()
