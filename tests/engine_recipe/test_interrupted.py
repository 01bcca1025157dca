"""A build that ends in its middle, and builders that meet."""

import os
import signal
import time

import pytest

from .bench import Bench, files

# Half a second each on an idle machine; a busy one starts processes slowly.
pytestmark = pytest.mark.timeout(20)

STEPS = ["venv", "pip", "check", "model"]


def wait_for_step(bench: Bench, step: str) -> None:
    while step not in bench.steps():
        time.sleep(0.01)


@pytest.mark.parametrize("step", STEPS)
def test_killed_in_the_middle_of_a_step(bench: Bench, step: str) -> None:
    """Builder and command die together: not ready, and the next call makes it whole."""
    killed = bench.run(FAKE_KILL_AT=step)

    assert killed.returncode == -signal.SIGKILL
    assert not bench.is_ready()
    done = bench.run()
    assert done.returncode == 0, done.stderr
    assert "unfinished or damaged" in done.stderr
    assert (bench.place() / "model/model.safetensors").read_bytes() == b"half and the other half"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_killed_before_any_act(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    """
    Whatever the builder was about to do when it was killed (each file opened,
    renamed, removed, each folder, each command), the engine is not ready, or it
    is whole; and the next call gives the files of an undisturbed build.
    """
    bench.run()
    undisturbed = files(bench.place())
    survived = False
    act = 0

    while not survived:
        act += 1
        other = Bench(folder=tmp_path_factory.mktemp("killed"))
        killed = other.run(FAKE_DIE_BEFORE=str(act))
        survived = killed.returncode == 0
        assert survived or killed.returncode == -signal.SIGKILL, killed.stderr
        if other.is_ready():
            assert undisturbed == files(other.place())
        done = other.run()
        assert done.returncode == 0, (act, done.stderr)
        assert undisturbed == files(other.place()), act

    assert act > 30


def test_builder_killed_while_its_command_runs_on(bench: Bench) -> None:
    """
    An orphaned pip still writes into the folder, so the next builder waits for
    its end before it wipes, and says so.
    """
    orphaning = bench.start(FAKE_SLOW_AT="pip", FAKE_SECONDS="0.4")
    wait_for_step(bench, "pip")
    os.kill(orphaning.pid, signal.SIGKILL)
    began = time.monotonic()
    orphaning.wait()

    done = bench.run()
    seconds = time.monotonic() - began
    orphaning.communicate()

    assert done.returncode == 0, done.stderr
    assert (
        f"process {orphaning.pid}, or a command it left, is preparing this; waiting" in done.stderr
    )
    assert seconds > 0.3
    assert ["venv", "pip", *STEPS] == bench.steps()
    assert bench.is_ready()


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_stop(bench: Bench, sign: signal.Signals) -> None:
    """Stopping ends the command too, and leaves nothing that looks ready."""
    process = bench.start(FAKE_SLOW_AT="pip", FAKE_SECONDS="0.4")
    wait_for_step(bench, "pip")
    os.kill(process.pid, sign)
    _, err = process.communicate()

    assert process.returncode == 130
    assert "interrupted; run this again" in err
    assert not bench.is_ready()
    time.sleep(0.6)
    assert list(bench.home.glob("*/venv/bin/vllm")) == []


def test_two_builders_at_once(bench: Bench) -> None:
    """The second waits, says so, and uses what the first made."""
    first = bench.start(FAKE_SLOW_AT="pip", FAKE_SECONDS="0.4")
    wait_for_step(bench, "pip")
    second = bench.start()
    first_out, first_err = first.communicate()
    second_out, second_err = second.communicate()

    assert (first.returncode, second.returncode) == (0, 0), first_err + second_err
    assert bench.steps() == STEPS
    assert f"process {first.pid}, or" in second_err
    assert first_out == second_out


def test_waiting_builder_takes_over(bench: Bench) -> None:
    """Should the first fail, the second builds."""
    first = bench.start(
        FAKE_SLOW_AT="pip", FAKE_SECONDS="0.3", FAKE_FAIL_AT="pip", FAKE_WORDS="broken"
    )
    wait_for_step(bench, "pip")
    second = bench.run()
    first.communicate()

    assert (first.returncode, second.returncode) == (3, 0)
    assert ["venv", "pip", *STEPS] == bench.steps()
