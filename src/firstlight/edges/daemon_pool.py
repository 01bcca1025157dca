"""
Threads that nobody waits for at the end of the process.

A read from a file system that hangs never comes back. Those who asked for it have given up long
ago, but the interpreter joins the threads of a `ThreadPoolExecutor` before it ends, so the process
would hang as well. These it does not join.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class DaemonPool:
    """A few threads that take up work in the order in which it was given."""

    def __init__(self, most: int, *, name: str) -> None:
        """
        None is started before there is work.

        Args:
            most: so many at once.
            name: of the threads.
        """
        self._most = most
        self._name = name
        self._threads = 0
        self._work: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._changed = threading.Condition()
        self._over = False

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """What it returns or raises is the future's."""
        future: Future[T] = Future()
        with self._changed:
            self._work.append((future, work))
            self._changed.notify()
            if self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._run, name=self._name, daemon=True).start()
        return future

    def leave(self) -> None:
        """Nothing more is begun; what was begun is not waited for."""
        with self._changed:
            self._over = True
            while self._work:
                self._work.popleft()[0].cancel()
            self._changed.notify_all()

    def _run(self) -> None:
        while (taken := self._next()) is not None:
            future, work = taken
            if not future.set_running_or_notify_cancel():
                continue
            try:
                found = work()
            except BaseException as wrong:  # noqa: BLE001 - whoever asked gets it
                future.set_exception(wrong)
            else:
                future.set_result(found)

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        with self._changed:
            while not self._work and not self._over:
                self._changed.wait()
            return None if self._over else self._work.popleft()
