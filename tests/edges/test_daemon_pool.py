"""Threads that a process does not wait for."""

import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from functools import partial
from operator import mul

import pytest

from firstlight.edges.daemon_pool import DaemonPool


def test_work_is_done_and_what_goes_wrong_is_raised() -> None:
    pool = DaemonPool(2, name="work")
    doubled = [pool.submit(partial(mul, 2, n)) for n in range(20)]
    broken = pool.submit(lambda: 1 // 0)

    assert [one.result(1) for one in doubled] == [2 * n for n in range(20)]
    with pytest.raises(ZeroDivisionError):
        broken.result(1)
    pool.leave()


def test_no_more_at_once_than_is_said() -> None:
    pool, gate, names = DaemonPool(3, name="work"), threading.Barrier(3), set()

    def meet() -> None:
        gate.wait(1)
        names.add(threading.get_ident())

    for one in [pool.submit(meet) for _ in range(9)]:
        one.result(1)
    assert len(names) == 3
    pool.leave()


def test_who_leaves_waits_for_nothing_and_nothing_more_is_begun() -> None:
    pool, hung, begun = DaemonPool(1, name="work"), threading.Event(), threading.Event()

    def hang() -> bool:
        begun.set()
        return hung.wait(10)

    first, second = pool.submit(hang), pool.submit(lambda: True)
    assert begun.wait(1)
    pool.leave()

    with pytest.raises(CancelledError):
        second.result(1)
    assert not first.done()
    hung.set()
    assert first.result(1)


def test_a_process_ends_though_one_hangs() -> None:
    hangs = (
        "import os\n"
        "from firstlight.edges.daemon_pool import DaemonPool\n"
        "pool = DaemonPool(2, name='hangs')\n"
        "pool.submit(lambda: os.read(os.pipe()[0], 1))\n"
        "print(pool.submit(lambda: 'done').result())\n"
        "pool.leave()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", hangs], capture_output=True, text=True, timeout=1.8, check=True
    )
    assert ended.stdout == "done\n"
