"""
The process table, as /proc shows it.

A pid alone names nobody: the kernel hands it out again. A process here is its
pid and the tick it was started at, and a signal goes through a pidfd whose
owner is compared with both before it is used. Processes come and go while the
table is read; those that vanish are left out.

Zombies are not in it: they have ended, and only wait for a parent to notice. But
a process whose first thread has ended looks like one while its other threads
run on, and it is in the table for as long as they do.
"""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_ENDED = frozenset("ZXx")


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process that has not ended."""

    pid: int
    start_ticks: int
    """Clock ticks after boot; with the pid, an identity."""
    parent: int
    session: int
    name: str

    @property
    def known_as(self) -> str:
        """For people: "python (pid 71)"."""
        return f"{self.name} (pid {self.pid})"


def process(pid: int) -> Process | None:
    """One row of the table; None where nobody of that pid runs."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name stands in parentheses and may hold parentheses and spaces itself.
    head, _, tail = stat.rpartition(b")")
    fields = tail.split()
    if not fields or (fields[0].decode() in _ENDED and int(fields[17]) <= 1):
        return None
    return Process(
        pid=pid,
        start_ticks=int(fields[19]),
        parent=int(fields[1]),
        session=int(fields[3]),
        name=head.partition(b"(")[2].decode("utf-8", "replace"),
    )


def everybody() -> Iterator[Process]:
    """Every process that this one may see."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (found := process(int(entry.name))):
            yield found


def descendants(root: int) -> list[Process]:
    """The children of a pid and theirs, parents before their children."""
    children: dict[int, list[Process]] = {}
    for row in everybody():
        children.setdefault(row.parent, []).append(row)
    found: list[Process] = []
    waiting = list(children.get(root, ()))
    while waiting:
        row = waiting.pop(0)
        found.append(row)
        waiting.extend(children.get(row.pid, ()))
    return found


def members(session: int) -> list[Process]:
    """Who belongs to a session, whoever the parents are by now."""
    return [row for row in everybody() if row.session == session]


def send(number: signal.Signals, to: Iterable[Process]) -> None:
    """Signal exactly these processes; those that have ended are passed over."""
    for row in to:
        with suppress(OSError):
            _send(number, row)


def _send(number: signal.Signals, row: Process) -> None:
    try:
        handle = os.pidfd_open(row.pid)
    except ProcessLookupError:
        return
    except OSError:
        # A kernel before 5.3, or a filter that forbids it: the check alone must do.
        if _still(row):
            os.kill(row.pid, number)
        return
    try:
        if _still(row):
            signal.pidfd_send_signal(handle, number)
    finally:
        os.close(handle)


def _still(row: Process) -> bool:
    now = process(row.pid)
    return now is not None and now.start_ticks == row.start_ticks
