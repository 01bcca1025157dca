"""
What a real vLLM is like after a sleep or a wake-up that failed.

Its worker runs into real limits of the system: on the size of a file, on its address space, on
the memory of its control group. What is held here stands in docs/sleep-on-cpu.md.
"""

import os
import resource
import signal
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine_sleep.sleeper import Sleeper, started

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(360)]
GROUPS = Path("/sys/fs/cgroup")
MB = 1 << 20


@pytest.fixture(scope="module")
def sleeper(engine_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sleeper]:
    with started(engine_folder, tmp_path_factory.mktemp("failing")) as one:
        yield one


@contextmanager
def limited(pid: int, what: int, most: int) -> Iterator[None]:
    """A process under a soft limit for a while."""
    soft, hard = resource.prlimit(pid, what)
    resource.prlimit(pid, what, (most, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, what, (soft, hard))


@contextmanager
def little_memory(pid: int, most: int) -> Iterator[None]:
    """A process in a control group of its own, which counts what it touches from now on."""
    named = Path("/proc/self/cgroup").read_text().splitlines()
    ours = {kinds: place for _, kinds, place in (line.split(":", 2) for line in named)}
    first = "memory" in ours
    above = GROUPS / "memory" / ours["memory"].lstrip("/") if first else GROUPS
    try:
        group = Path(tempfile.mkdtemp(prefix="firstlight-", dir=above))
    except OSError as refused:
        pytest.skip(f"no control group can be made: {refused}")
    try:
        limit = group / ("memory.limit_in_bytes" if first else "memory.max")
        if not limit.exists():
            pytest.skip("control groups here do not limit memory")
        limit.write_text(str(most))
        (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        _removed(group)


def _removed(group: Path) -> None:
    until = time.monotonic() + 30
    while (group / "cgroup.procs").read_text() and time.monotonic() < until:
        time.sleep(0.1)
    group.rmdir()


def until_it_says(sleeper: Sleeper, what: tuple[int, object]) -> None:
    until = time.monotonic() + 20
    while sleeper.says() != what:
        assert time.monotonic() < until, sleeper.says()
        time.sleep(0.1)


def test_a_full_disk_leaves_an_engine_that_says_it_sleeps(sleeper: Sleeper) -> None:
    """The half of a file is gone; requests wait until somebody wakes what has lost nothing."""
    before, awake = sleeper.words(), sleeper.resident()
    with limited(int(sleeper.worker().name), resource.RLIMIT_FSIZE, MB):
        status, told = sleeper.call("POST", "/sleep")
    says, files = sleeper.says(), sleeper.files()
    with ThreadPoolExecutor(1) as beside:
        asked = beside.submit(sleeper.words)
        with pytest.raises(TimeoutError):
            asked.result(timeout=1)
        sleeper.woke_up()
        said = asked.result(timeout=20)

    assert 500 == status
    assert "(File too large), so nothing was given back" in told["error"]["message"]
    assert ((200, True), []) == (says, files)
    assert abs(sleeper.resident() - awake) < 10e6
    assert (before, (200, False)) == (said, sleeper.says())


def test_weights_for_which_there_is_no_memory_can_be_loaded_later(sleeper: Sleeper) -> None:
    """Level 2: the loading fails, it stays asleep and well, and goes on where it was."""
    before = sleeper.words()
    sleeper.fell_asleep(level=2)
    size = int((sleeper.worker() / "statm").read_text().split()[0]) * resource.getpagesize()
    with limited(int(sleeper.worker().name), resource.RLIMIT_AS, size - 1024 * MB):
        partly = sleeper.call("POST", "/wake_up?tags=weights")[0]
        status, told = sleeper.call("POST", "/collective_rpc", {"method": "reload_weights"})
        says = sleeper.says()
    sleeper.loaded_again()

    assert (200, 500, (200, True)) == (partly, status, says)
    assert "Cannot allocate memory" in told["error"]["message"]
    assert before == sleeper.words()


def test_a_wake_up_that_kills_the_engine(sleeper: Sleeper) -> None:
    """
    While it hangs `/health` says 200 and `/is_sleeping` nothing. When the worker is gone the call
    answers 500, then `/health` says 503, and what asks for the engine 500.
    """
    worker = int(sleeper.worker().name)
    sleeper.fell_asleep()
    os.kill(worker, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as beside:
        waking = beside.submit(sleeper.call, "POST", "/wake_up")
        with pytest.raises(TimeoutError):
            waking.result(timeout=1)
        health = sleeper.call("GET", "/health")[0]
        with pytest.raises(TimeoutError):
            sleeper.call("GET", "/is_sleeping", within_s=1)
        os.kill(worker, signal.SIGKILL)
        status, told = waking.result(timeout=20)

    assert (200, 500) == (health, status)
    assert "Call to wake_up method failed" in told["error"]["message"]
    until_it_says(sleeper, (503, 500))


def test_a_wake_up_without_memory_ends_the_engine(engine_folder: Path, tmp_path: Path) -> None:
    """
    Level 1: its weights do not fit into the control group any more, so the kernel kills the
    worker. A front end that is not told to stay then ends by itself, as if all were well.
    """
    with started(engine_folder, tmp_path, stays=False) as sleeper:
        sleeper.fell_asleep()
        with little_memory(int(sleeper.worker().name), 24 * MB):
            status, told = sleeper.call("POST", "/wake_up")

            assert 500 == status
            assert "Call to wake_up method failed" in told["error"]["message"]
            assert 0 == sleeper.process.wait(timeout=30)
