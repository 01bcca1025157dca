"""Nothing is written before somebody said yes, and whoever is told to end says so at once."""

import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.console import SCRIPT
from tests.experiment.lab import PLACEBO, Lab

pytestmark = pytest.mark.timeout(120)


def answered(lab: Lab, plan: Path, answer: bytes) -> tuple[int, str]:
    """`run` on a terminal, where somebody types this; the exit code and what stood there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [SCRIPT, "experiment", "run", plan, "--into", lab.run],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "dumb"},
    ) as running:
        os.close(theirs)
        os.write(ours, answer)
        told = b""
        try:
            while more := os.read(ours, 4096):
                told += more
        except OSError:
            pass  # The other end is closed.
        running.wait()
    os.close(ours)
    return running.returncode, told.decode()


@pytest.mark.parametrize("answer", [b"n\n", b"\x04"])
def test_whoever_says_no_has_written_nothing(lab: Lab, answer: bytes) -> None:
    """Not even a folder; the next plan may have its name."""
    code, told = answered(lab, lab.plan(rounds=1, steps=[PLACEBO]), answer)

    assert 130 == code
    assert "nothing was begun, and nothing written" in told
    assert "every verdict will be: too few rounds" in told
    assert not lab.run.exists()


def test_whoever_says_yes_has_a_run(lab: Lab) -> None:
    """Enter is a yes."""
    code, told = answered(lab, lab.plan(rounds=1, steps=[]), b"\n")

    assert 0 == code, told
    assert 2 == lab.rounds()


def test_a_no_to_more_rounds_changes_nothing(lab: Lab) -> None:
    """What was run stands as it was."""
    assert 0 == lab.say("run", lab.plan(rounds=1, steps=[]), "--into", lab.run).returncode
    before = sorted(lab.run.iterdir()), lab.ledger()

    code, told = answered(lab, lab.plan(rounds=2, steps=[]), b"n\n")

    assert 130 == code
    assert "2 rounds to run" in told
    assert before == (sorted(lab.run.iterdir()), lab.ledger())


def test_who_is_told_to_end_says_so_at_once(lab: Lab) -> None:
    """An engine may take long to end, and whoever waits should know for what."""
    slow = ("lambda *_: os._exit(0)", "lambda *_: (time.sleep(2), os._exit(0))")
    lab.change(slow)
    plan = lab.plan(rounds=1, steps=[], environment={"FAKE_UNHURRIED": "100"})
    with lab.begun(plan, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        said = ""
        for line in running.stderr:
            said += line
            if "waiting for the port" in line:
                running.send_signal(signal.SIGTERM)
            if "SIGTERM: stopping the engine" in line:
                break
        else:
            pytest.fail(f"nothing of it in: {said}")
        rest = running.stderr.read()

    assert 130 == running.returncode
    assert f"firstlight experiment resume {lab.run}" in rest


def test_how_long_it_takes_is_said_again_after_the_first_round(lab: Lab) -> None:
    """By what that took, and not by what somebody expected."""
    done = lab.say("run", lab.plan(rounds=1, steps=[], expect_s=3600), "--into", lab.run)

    assert "about 2.0 h (by the plan's 3600 s a round)" in done.stderr
    assert "by the first round: 1 round to run, about" in done.stderr
    assert "(by the median of the rounds that were run)" in done.stderr


@pytest.mark.parametrize(
    ("given", "words", "remedy"),
    [
        ("modell=x", "has no ${modell}", "did you mean model?"),
        ("what=x", "has no ${what}", "leave it out"),
        ("node=/x", "${node} is a folder that firstlight makes", "leave it out"),
    ],
)
def test_a_setting_that_nobody_uses_is_said(lab: Lab, given: str, words: str, remedy: str) -> None:
    """A name that is spelled wrong would leave the plan's own value in place."""
    plan = lab.plan(steps=[], settings={"model": "MODEL"})
    plan.write_text(plan.read_text().replace('"MODEL",', '"${model}",', 1))

    done = lab.say("plan", plan, "--set", given)

    assert 2 == done.returncode
    assert words in done.stderr
    assert remedy in done.stderr
    assert 0 == lab.say("plan", plan, "--set", "model=MODEL").returncode
