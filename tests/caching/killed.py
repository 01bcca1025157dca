"""
A child of ours that is killed at its n-th step to the outside, and all of them in turn.

A step is a call into C that touches a file or a store, seen by the interpreter's profiler right
before it is made and right after. So every such call of a piece of work is found by itself, also
those that somebody adds later.
"""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from firstlight.core.errors import FirstlightError

_TOUCHES = frozenset(
    (
        *(
            "open",
            "write",
            "read",
            "close",
            "flush",
            "mkdir",
            "rename",
            "replace",
            "unlink",
            "rmdir",
        ),
        *("remove", "chmod", "fchmod", "utime", "flock", "fsync", "scandir", "listdir", "stat"),
        *("put", "get", "get_range", "head", "list", "readinto", "truncate", "fstat", "statvfs"),
    )
)


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """
    Do some work in a child that is killed at this step, from 0.

    Returns:
        Whether it came so far; False where it was done before.
    """
    child = os.fork()
    if child == 0:
        _until(step, work)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    assert 0 == os.waitstatus_to_exitcode(status)
    return False


def is_done(work: Callable[[], object]) -> bool:
    """
    Do some work in a child, to its end; whether it did not fail with an error of ours.

    In a child too, because whoever asks a store has threads of the store's library from then on,
    and a child that is forked then has them not.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except FirstlightError:
            code = 2
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in {0, 2}
    return code == 0


def _until(step: int, work: Callable[[], object]) -> None:
    left = step

    def count(_: FrameType, event: str, called: Any) -> None:
        nonlocal left
        if event in {"c_call", "c_return"} and getattr(called, "__name__", "") in _TOUCHES:
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

    code = 1
    try:
        sys.setprofile(count)
        work()
        code = 0
    finally:
        sys.setprofile(None)
        os._exit(code)
