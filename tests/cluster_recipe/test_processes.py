"""Processes that are known again, and ended without touching others."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from onenode.patience import until
from onenode.processes import Process, Processes

# A busy machine starts interpreters slowly.
pytestmark = pytest.mark.timeout(20)


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(records=tmp_path / "records", logs=tmp_path / "log", mark=tmp_path.name)
    yield made
    for process in list(made.marked()):
        process.kill()


def test_a_process_is_found_by_its_name(processes: Processes) -> None:
    """By whoever reads the records, not only by the one that started it."""
    started = processes.start("sleeper", ["sleep", "60"])

    again = Processes(records=processes.records, logs=processes.logs, mark=processes.mark)

    assert started == again.find("sleeper")
    assert ["sleeper"] == again.names()


def test_what_it_says_is_kept(processes: Processes) -> None:
    """Both of its streams, over several starts."""
    for word in ("one", "two"):
        process = processes.start("speaker", ["sh", "-c", f"echo {word}; echo {word}! >&2"])
        while process.runs():
            time.sleep(0.01)

    assert "one\none!\ntwo\ntwo!\n" == processes.log("speaker").read_text()


def test_it_is_asked_to_end(processes: Processes) -> None:
    """And has its moment to do so."""
    script = "trap 'echo goodbye; exit' TERM; echo ready; while :; do sleep 0.01; done"
    process = processes.start("polite", ["sh", "-c", script])
    until(lambda: "ready" in processes.log("polite").read_text(), timeout_s=5)

    processes.end("polite")

    assert not process.runs()
    assert "ready\ngoodbye\n" == processes.log("polite").read_text()
    assert [] == processes.names()


def test_one_that_does_not_listen_is_made_to(processes: Processes) -> None:
    """After the grace that was given."""
    process = processes.start("deaf", ["sh", "-c", "trap '' TERM; echo ready; sleep 60"])
    until(lambda: "ready" in processes.log("deaf").read_text(), timeout_s=5)

    processes.end("deaf", grace_s=0.1)

    assert not process.runs()


def test_a_later_process_with_its_number_is_left_alone(processes: Processes) -> None:
    """A record outlives its process, and numbers are given out again."""
    stranger = processes.start("stranger", ["sleep", "60"])
    old = {"pid": stranger.pid, "start_ticks": stranger.start_ticks - 1}
    (processes.records / "gone.json").write_text(json.dumps(old))

    assert processes.find("gone") is None
    processes.end("gone")
    dataclasses.replace(stranger, start_ticks=stranger.start_ticks - 1).signal(signal.SIGKILL)

    time.sleep(0.05)
    assert stranger.runs()
    assert ["stranger"] == processes.names()


def test_one_that_ended_does_not_run(processes: Processes) -> None:
    """Also while nobody has asked how it ended."""
    process = processes.start("short", ["true"])

    assert until(lambda: Process.of(process.pid) is None, timeout_s=5)
    assert processes.find("short") is None


def test_children_that_nobody_wrote_down_are_found(processes: Processes) -> None:
    """They inherit the mark, whatever became of their parent; others do not have it."""
    script = "sleep 60 & echo $!"
    parent = processes.start("parent", ["sh", "-c", script])
    until(lambda: not parent.runs(), timeout_s=5)
    child = int(processes.log("parent").read_text())

    # Between fork and exec a process has no environment to be seen.
    assert until(lambda: [child] == [one.pid for one in processes.marked()], timeout_s=5)
    other = Processes(records=processes.records, logs=processes.logs, mark=f"{processes.mark}0")
    assert [] == list(other.marked())


def test_the_one_that_asks_runs() -> None:
    """And a number that nobody has is nobody."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass

    assert os.getpid() == Process.me().pid
    assert Process.me().runs()
    assert Process.of(ended.pid) is None
