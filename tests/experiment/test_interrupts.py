"""Whoever is told to end in a run stops its engine, says how to go on, and loses nothing."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import SCRIPT
from tests.experiment.lab import Lab, a_lab

pytestmark = pytest.mark.timeout(180)

SLOW_ANSWER = (
    "        self.requests += 1\n",
    "        self.requests += 1\n        slow_answer(self)\n",
)
ASKED = """
def slow_answer(server):
    if server.requests > 1:
        Path(os.environ["FAKE_ASKED"]).touch()
        time.sleep(1)


def say("""
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


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The ledger of a run that nobody interrupted."""
    with a_lab(tmp_path_factory.mktemp("undisturbed")) as lab:
        done = lab.say("run", lab.plan(), "--into", lab.run, "--yes")
        assert 0 == done.returncode, done.stderr
        return nameless(lab)


def nameless(lab: Lab) -> list[dict[str, Any]]:
    return [{n: v for n, v in line.items() if n != "digest"} for line in lab.ledger()]


def changed(lab: Lab, *changes: tuple[str, str]) -> None:
    own = lab.vllm.read_text()
    for before, after in changes:
        assert before in own
        own = own.replace(before, after, 1)
    lab.vllm.write_text(own)


def begun(lab: Lab, plan: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [SCRIPT, "experiment", "run", plan, "--into", lab.run, "--yes"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.005)


def rounds(lab: Lab) -> int:
    file = lab.run / "ledger.jsonl"
    return file.read_bytes().count(b"\n") - 1 if file.exists() else 0


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
    assert sentence.startswith(f"firstlight: interrupted; {rounds(lab)} rounds were finished")
    assert f"  go on with `firstlight experiment resume {lab.run}`" == remedy
    assert [] == users(lab)


@pytest.mark.parametrize(("number", "moment"), ALL)
def test_who_is_told_to_end_goes_on_where_it_was(
    lab: Lab, undisturbed: list[dict[str, Any]], number: signal.Signals, moment: str
) -> None:
    """Ctrl-C, a kill and a closed terminal, in a fill, in a round, while the engine is asked."""
    changed(lab, SLOW_ANSWER, ("def say(", ASKED.lstrip()))
    seen = lab.home / "asked"
    plan = lab.plan(environment={"FAKE_ASKED": str(seen), "FAKE_UNHURRIED": "4"})
    at: dict[str, Callable[[], bool]] = {
        "fill": lambda: bool(lab.engines()),
        "hit": lambda: rounds(lab) >= 2 and bool(lab.engines()),
        "serving": seen.exists,
    }

    with begun(lab, plan) as running:
        wait_until(at[moment])
        running.send_signal(number)
        _, said = running.communicate(timeout=60)

    is_told(lab, running.returncode, said)
    assert 0 == lab.say("report", lab.run).returncode
    done = lab.say("resume", lab.run)
    assert 0 == done.returncode, done.stderr
    assert undisturbed == nameless(lab)


def test_who_is_impatient_is_heard_once(lab: Lab) -> None:
    """An engine that ignores SIGTERM has its time; a second Ctrl-C leaves nothing behind."""
    changed(lab, IGNORES)
    with begun(lab, lab.plan(steps=[])) as running:
        wait_until(lambda: bool(lab.engines()))
        for _ in range(3):
            running.send_signal(signal.SIGINT)
            time.sleep(0.3)
        _, said = running.communicate(timeout=60)

    is_told(lab, running.returncode, said)


def test_a_child_that_keeps_the_port_is_ended_with_its_engine(lab: Lab) -> None:
    """It left the session, ignores SIGTERM, and would be the wrong server of the next round."""
    changed(lab, *CHILD)

    done = lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    assert ["ready", "ready"] == [line["outcome"] for line in lab.ledger()[1:]]
    assert [] == users(lab)


@pytest.mark.slow
def test_an_engine_that_ignores_sigterm_is_ended(lab: Lab) -> None:
    """After ten seconds a round; the next finds its port free."""
    changed(lab, IGNORES)

    done = lab.say("run", lab.plan(steps=[]), "--into", lab.run, "--yes")

    assert 0 == done.returncode, done.stderr
    assert ["ready", "ready"] == [line["outcome"] for line in lab.ledger()[1:]]
    assert [] == users(lab)
