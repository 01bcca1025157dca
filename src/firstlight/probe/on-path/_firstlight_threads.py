"""
Which records come from the main thread.

Only the main thread's work stands between the ask and the answer; a record of
another thread says so. After a fork the forking thread is the main one.
"""

from __future__ import annotations

from _thread import get_ident


class _Main:
    thread = get_ident()


def after_fork() -> None:
    """In a forked child, this thread is the only one."""
    _Main.thread = get_ident()


def marked(record: dict[str, object]) -> dict[str, object]:
    """The record, with the thread's number where it is not the main thread."""
    thread = get_ident()
    if thread != _Main.thread:
        record["th"] = thread
    return record
