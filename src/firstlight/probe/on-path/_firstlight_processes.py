"""
Which process this is: what it was started as, and what it is called later.

The record "process" says how the interpreter was begun; "name" records follow
when `multiprocessing` or the engine names the process. Which role that makes
(front end, engine core, worker) is read off them later, by the reader. No
argument value is ever recorded: a command line may hold a key.
"""

# ruff: noqa: PTH119  (pathlib: heavy to import this early)

from __future__ import annotations

import atexit
import os
import sys
import time

import _firstlight_clock as clock
import _firstlight_counters as counters
import _firstlight_imports as imports
import _firstlight_records as records
import _firstlight_threads as threads

_KNOWN_CODE = ("spawn_main", "resource_tracker", "forkserver")
_SUBCOMMANDS = ("serve", "launch", "bench", "run-batch", "chat", "complete")


def introduce(began_ns: int, *, forked: bool = False) -> None:
    """Write the record of this process."""
    _, start_ns, resolution_ns = clock.started()
    records.write(
        {
            "k": "process",
            "schema": "firstlight.probe/1",
            "pid": os.getpid(),
            "ppid": os.getppid(),
            "start_ns": start_ns,
            "start_resolution_ns": resolution_ns,
            "start_by": "/proc/self/stat, CLOCK_BOOTTIME ticks",
            "at_ns": began_ns,
            "wall_at_ns": clock.now_ns(),
            "unix_ns": time.time_ns(),
            "forked": forked,
            "program": _program(),
            "python": ".".join(map(str, sys.version_info[:3])),
        }
    )


def _program() -> str:
    """What runs, without any argument that could be a secret."""
    arguments = list(getattr(sys, "orig_argv", ()))[1:]
    while arguments:
        argument = arguments.pop(0)
        if argument == "-m" and arguments:
            return f"-m {arguments[0][:120]}"
        if argument == "-c" and arguments:
            known = [word for word in _KNOWN_CODE if word in arguments[0]]
            return f"-c {known[0]}" if known else "-c"
        if argument in ("-X", "-W") and arguments:
            arguments.pop(0)
        elif not argument.startswith("-"):
            words = [os.path.basename(argument)[:120]]
            if words[0] in ("__main__.py", "main.py"):
                words[0] = "/".join(argument.split("/")[-3:])[:120]
            words += [word for word in arguments[:1] if word in _SUBCOMMANDS]
            return " ".join(words)
    return ""


def called(name: str, by: str) -> None:
    """Note a name that this process was given."""
    records.write({"k": "name", "n": str(name)[:120], "by": by, "t": clock.now_ns()})


def follow_forks() -> None:
    """Give each forked child a file of its own, and note the end of this process."""
    os.register_at_fork(after_in_child=_in_child)
    atexit.register(_at_exit)


def _in_child() -> None:
    try:
        began_ns = clock.now_ns()
        threads.after_fork()
        imports.after_fork()
        records.after_fork()
        introduce(began_ns, forked=True)
    except Exception:
        pass


def _at_exit() -> None:
    try:
        counters.write("exit")
        records.write({"k": "exit", "t": clock.now_ns()})
    except Exception:
        pass
