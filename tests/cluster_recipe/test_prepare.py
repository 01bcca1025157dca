"""The command: its exit codes, and a build that ends in its middle."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import ROOT

pytestmark = pytest.mark.timeout(30)

PREPARE = ROOT / "cluster/prepare.py"
TARGET = {"REPO_URI": "u", "CODENAME": "bookworm", "COMPONENT": "main", "SIGNED_BY": ""}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """An apt-get that knows a mirror and does with it what ACTION says."""
    program = tmp_path / "apt-get"
    program.write_text(
        '#!/bin/sh\ncase " $* " in\n'
        f"*indextargets*) echo '{json.dumps(TARGET)}' ;;\n"
        '*) echo "$*" >>"$CALLS"; sh -c "$ACTION" ;;\nesac\n'
    )
    program.chmod(0o755)
    return f"{tmp_path}:{os.environ['PATH']}"


def start(home: Path, path: str, action: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(PREPARE), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={
            "PATH": path,
            "FIRSTLIGHT_CLUSTER_HOME": str(home),
            "ACTION": action,
            "CALLS": str(home.parent / "calls"),
        },
    )


def run(home: Path, path: str, action: str, *arguments: str) -> tuple[int, str, str]:
    with start(home, path, action, *arguments) as process:
        out, err = process.communicate()
        return process.returncode, out, err


def test_not_ready_is_an_answer(home: Path, path: str) -> None:
    """Exit 1 and a remedy, nothing made."""
    code, out, err = run(home, path, "exit 1", "--print-path")

    assert (1, "") == (code, out)
    assert "not ready" in err
    assert not home.exists()


def test_wrong_usage_is_told_apart(home: Path, path: str) -> None:
    """Exit 2, as everywhere."""
    assert 2 == run(home, path, "exit 1", "--no-such-option")[0]


def test_a_mirror_that_fails_is_the_outsides_fault(home: Path, path: str) -> None:
    """Exit 3, apt's own words, a remedy and the log; nothing counts as ready."""
    code, _, err = run(home, path, "echo 'E: no route to the mirror'; exit 100")

    assert 3 == code
    assert "no route to the mirror" in err
    assert "remedy: check that apt reaches its mirror" in err
    assert 1 == run(home, path, "exit 1", "--print-path")[0]


def test_a_killed_build_is_begun_anew(home: Path, path: str, tmp_path: Path) -> None:
    """
    The builder is killed and its apt runs on: the next one waits for that apt,
    and then starts from an empty folder.
    """
    with start(home, path, "sleep 1.5") as killed:
        calls = tmp_path / "calls"
        while not calls.exists():
            time.sleep(0.01)
        (building,) = home.glob("*.building")
        (building / "half").touch()
        os.kill(killed.pid, signal.SIGKILL)

    code, _, err = run(home, path, "exit 1")

    assert 3 == code
    assert "waiting" in err
    assert not (building / "half").exists()
    assert 1 == run(home, path, "exit 1", "--print-path")[0]


def test_an_interrupted_build_takes_its_command_with_it(home: Path, path: str) -> None:
    """Ctrl-C in the middle: exit 130, and nothing of it runs on."""
    with start(home, path, "exec sleep 60") as process:
        while not (home.parent / "calls").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert "interrupted" in process.stderr.read()

    assert 130 == process.returncode
