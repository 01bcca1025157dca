import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from firstlight.edges.process_table import descendants, members, process, send

_SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def test_a_process_is_known_by_pid_and_start() -> None:
    """Two looks at one process are equal, and say whose child it is."""
    with running(_SLEEP) as child:
        first, second = process(child.pid), process(child.pid)

    assert first == second
    assert os.getpid() == (first.parent if first else None)


def test_a_name_may_hold_parentheses_and_spaces() -> None:
    """The kernel prints a name unescaped, in parentheses."""
    script = (
        "import time\n"
        "open('/proc/self/comm', 'w').write('a) (b 1')\n"
        "print(1, flush=True); time.sleep(60)\n"
    )
    with running([sys.executable, "-S", "-c", script]) as child:
        assert child.stdout is not None
        child.stdout.readline()

        found = process(child.pid)

    assert ("a) (b 1", os.getpid()) == ((found.name, found.parent) if found else None)


def test_a_zombie_has_ended() -> None:
    """It only waits to be reaped, and no signal reaches it."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    found = process(child.pid)

    child.wait()
    assert found is None


_FIRST_THREAD_ENDS = """
import ctypes, signal, threading, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
threading.Thread(target=time.sleep, args=(60,)).start()
print(1, flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_process_runs_on_after_its_first_thread_has_ended() -> None:
    """The kernel calls it a zombie, and its other threads work."""
    with running([sys.executable, "-c", _FIRST_THREAD_ENDS]) as child:
        assert child.stdout is not None
        child.stdout.readline()
        stat = Path(f"/proc/{child.pid}/stat")
        while b") Z " not in stat.read_bytes():
            time.sleep(0.01)

        found = process(child.pid)

    assert found is not None
    assert process(child.pid) is None


def test_descendants_are_children_and_theirs() -> None:
    """Parents stand before their children."""
    script = (
        "import subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:]); print(child.pid, flush=True); child.wait()\n"
    )
    with running([sys.executable, "-S", "-c", script, *_SLEEP]) as child:
        assert child.stdout is not None
        grandchild = int(child.stdout.readline())

        found = [row.pid for row in descendants(os.getpid())]
        send(signal.SIGKILL, descendants(child.pid))

    assert found.index(child.pid) < found.index(grandchild)


def test_a_session_is_found_after_its_leader_lost_its_parent() -> None:
    """A session outlives every parent."""
    script = (
        "import os, sys, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid(); print(os.getpid(), flush=True); time.sleep(60)\n"
    )
    with running([sys.executable, "-S", "-c", script]) as child:
        assert child.stdout is not None
        orphan = int(child.stdout.readline())
        child.wait()

        found = members(orphan)
        send(signal.SIGKILL, found)

    assert [orphan] == [row.pid for row in found]


@pytest.mark.parametrize("with_pidfd", [True, False], ids=["pidfd", "old kernel"])
def test_a_signal_does_not_reach_the_next_owner_of_a_pid(
    monkeypatch: pytest.MonkeyPatch, *, with_pidfd: bool
) -> None:
    """The same pid with another start is somebody else."""
    if not with_pidfd:
        monkeypatch.setattr(os, "pidfd_open", _refused)
    with running(_SLEEP) as child:
        row = process(child.pid)
        assert row is not None

        send(signal.SIGKILL, [replace(row, start_ticks=row.start_ticks - 1)])
        time.sleep(0.05)
        survived = child.poll()
        send(signal.SIGKILL, [row])

        assert (None, -signal.SIGKILL) == (survived, child.wait(timeout=1))


def test_a_signal_to_a_process_that_has_ended_is_nothing() -> None:
    """It may end between the look and the signal."""
    with running(_SLEEP) as child:
        row = process(child.pid)
        assert row is not None
    send(signal.SIGKILL, [row])

    assert process(row.pid) is None


def _refused(pid: int) -> int:
    raise PermissionError(pid)
