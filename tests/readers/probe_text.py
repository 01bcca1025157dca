"""Probe files as text, written the way the probe writes them."""

import json
from typing import Any

MS = 1_000_000


def opening(pid: int, ppid: int = 1, *, start: int = 0, at: int = 0, **more: Any) -> dict[str, Any]:
    """An interpreter introduces itself; times in milliseconds."""
    return {
        "k": "process",
        "schema": "firstlight.probe/1",
        "pid": pid,
        "ppid": ppid,
        "start_ns": start * MS,
        "start_resolution_ns": 10 * MS,
        "at_ns": at * MS,
        "forked": False,
        "program": "",
        **more,
    }


def imported(name: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    """An import by its top-level name."""
    return {"k": "import", "n": name, "s": start * MS, "e": end * MS, "x": name, **more}


def span(group: str, name: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    """A named function that ran."""
    return {"k": "span", "g": group, "n": name, "s": start * MS, "e": end * MS, **more}


def wait(start: int, end: int, **more: Any) -> dict[str, Any]:
    """A wait for other processes."""
    return span("executor", "waiting for the workers", start, end, **more) | {"k": "wait"}


def ran(program: str, child: int, start: int, end: int) -> dict[str, Any]:
    """A program that was run and waited for."""
    return span("subprocess", "program", start, end, child=child, x=program)


def called(name: str) -> dict[str, Any]:
    """A name that the process was given."""
    return {"k": "name", "n": name, "by": "multiprocessing", "t": 0}


def text(*records: dict[str, Any]) -> str:
    """The file of these records."""
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
