"""Whoever is told to end in a run stops its engine, says how to go on, and loses nothing."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.experiment.conftest import Undisturbed
from tests.experiment.lab import Lab, until

pytestmark = pytest.mark.timeout(180)

IGNORES = ("signal.signal(signal.SIGTERM, lambda *_: os._exit(0))", "signal.signal(15, 1)")
_SERVER = "        server = Server(model)\n"
_LEAVES_A_CHILD = """
        import subprocess
        os.set_inheritable(listening.fileno(), True)
        subprocess.Popen([sys.argv[0], "child"], close_fds=False, start_new_session=True)
"""
_IS_A_CHILD = """
    if sys.argv[1] == "child":
        signal.signal(15, 1)
        time.sleep(600)
"""
_MAIN = "def main() -> None:\n"
CHILD = ((_SERVER, _LEAVES_A_CHILD + _SERVER), (_MAIN, _MAIN + _IS_A_CHILD))
MOMENTS = ("fill", "hit", "serving")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FEW = {(signal.SIGINT, "serving"), (signal.SIGTERM, "fill"), (signal.SIGHUP, "hit")}
ALL = [
    pytest.param(number, moment, marks=() if (number, moment) in FEW else pytest.mark.slow)
    for number in SIGNALS
    for moment in MOMENTS
]


def users(lab: Lab) -> list[str]:
    """Processes that have the run's folder in their words or their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                seen = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if str(lab.run).encode() in seen:
                found.append(entry.name)
    return found


def is_told(lab: Lab, code: int | None, said: str) -> None:
    *_, sentence, remedy = filter(None, said.splitlines())
    assert 130 == code
    assert "Traceback" not in said
    assert sentence.startswith(f"firstlight: interrupted; {lab.rounds()} rounds were finished")
    assert f"  go on with `firstlight experiment resume {lab.run}`" == remedy
    assert [] == users(lab)


def has_come(lab: Lab, moment: str, seen: Path) -> object:
    """Whether a run is in its first fill, in its second hit, or asks an engine."""
    if moment == "serving":
        return seen.exists()
    return lab.engines() and (moment == "fill" or lab.rounds() >= 2)


@pytest.mark.parametrize(("number", "moment"), ALL)
def test_who_is_told_to_end_goes_on_where_it_was(
    lab: Lab, undisturbed: Undisturbed, number: signal.Signals, moment: str
) -> None:
    """Ctrl-C, a kill and a closed terminal, in a fill, in a round, while the engine is asked."""
    seen = lab.home / "asked"
    plan = lab.plan(environment={"FAKE_ASKED": str(seen), "FAKE_UNHURRIED": "4"})

    with lab.begun(plan, stderr=subprocess.PIPE) as running:
        until(lambda: has_come(lab, moment, seen))
        running.send_signal(number)
        _, said = running.communicate(timeout=60)

    is_told(lab, running.returncode, said)
    assert 0 == lab.say("report", lab.run).returncode
    done = lab.say("resume", lab.run)
    assert 0 == done.returncode, done.stderr
    assert undisturbed.ledger == lab.placeless()


def test_who_is_impatient_is_heard_once(lab: Lab) -> None:
    """An engine that ignores SIGTERM has its time; a second Ctrl-C leaves nothing behind."""
    lab.change(IGNORES)
    # Its first line comes when it ignores what it is told.
    begun = lab.home / "begun"
    plan = lab.plan(steps=[], environment={"FAKE_LOG": str(begun)})
    with lab.begun(plan, stderr=subprocess.PIPE) as running:
        until(begun.exists)
        for _ in range(3):
            running.send_signal(signal.SIGINT)
            time.sleep(0.3)
        _, said = running.communicate(timeout=60)

    is_told(lab, running.returncode, said)


def test_a_child_that_keeps_the_port_is_ended_with_its_engine(lab: Lab) -> None:
    """It left the session, ignores SIGTERM, and would be the wrong server of the next round."""
    lab.change(*CHILD)

    done = lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    assert ["ready", "ready"] == [line["outcome"] for line in lab.ledger()[1:]]
    assert [] == users(lab)


@pytest.mark.slow
def test_an_engine_that_ignores_sigterm_is_ended(lab: Lab) -> None:
    """After ten seconds a round; the next finds its port free."""
    lab.change(IGNORES)

    done = lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    assert ["ready", "ready"] == [line["outcome"] for line in lab.ledger()[1:]]
    assert [] == users(lab)
