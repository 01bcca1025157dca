"""
How processes begin others, from both sides.

A `multiprocessing` child spends its first seconds in machinery: it prepares
itself, imports the parent's main module, and unpickles what it is to run, which
imports most of the engine. The parent pickles, starts it, and goes on; where it
waits for the child is the engine's business, and is with the engine's rows.
"""

# ruff: noqa: PTH119, SIM105  (contextlib and pathlib: heavy to import this early)

from __future__ import annotations

import os

import _firstlight_clock as clock
import _firstlight_processes as processes
import _firstlight_records as records
import _firstlight_spans as spans
import _firstlight_threads as threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Row = spans.Row


class _Unpickling:
    """The span that `_main` of a spawned child opens and its `_bootstrap` closes."""

    token: spans.Token | None = None


def _main_of_child(function: Any, row: Row) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        _Unpickling.token = spans.begin(row)
        return function(*args, **kwargs)

    return call


def _bootstrap(function: Any, _row: Row) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        token, _Unpickling.token = _Unpickling.token, None
        spans.end(token)
        try:
            processes.called(self.name, "multiprocessing")
        except Exception:
            pass
        return function(self, *args, **kwargs)

    return call


def _start(function: Any, row: Row) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        parent = os.getpid()
        token = spans.begin(row)
        try:
            return function(self, *args, **kwargs)
        finally:
            if os.getpid() == parent:
                _started(self, token)

    return call


def _started(process: Any, token: spans.Token | None) -> None:
    try:
        name = str(process.name)[:120]
        spans.end(token, x=name)
        record: dict[str, object] = {"k": "spawn", "child": process.pid, "n": name}
        record["t"] = clock.now_ns()
        records.write(threads.marked(record))
    except Exception:
        pass


def _title(function: Any, _row: Row) -> Any:
    def call(title: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            processes.called(title, "title")
        except Exception:
            pass
        return function(title, *args, **kwargs)

    return call


def _waited_for(function: Any, row: Row) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        token = spans.begin(row)
        try:
            return function(self, *args, **kwargs)
        finally:
            try:
                spans.end(token, child=self.pid, x=_program(self.args))
            except Exception:
                pass

    return call


def _program(arguments: Any) -> str:
    """The name of a program, without its arguments."""
    first = arguments if isinstance(arguments, (str, bytes)) else next(iter(arguments))
    words = os.fsdecode(first).split()
    if not words or "=" in words[0]:
        # A shell line that sets variables first: they may be anything.
        return "shell"
    return os.path.basename(words[0])[:80]


def _begun(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return _program(args[1] if len(args) > 1 else kwargs["args"])


ROWS = (
    Row("multiprocessing.spawn", "_main", "spawn", "unpickling", replace=_main_of_child),
    Row("multiprocessing.spawn", "prepare", "spawn", "preparing the interpreter"),
    Row("multiprocessing.process", "BaseProcess._bootstrap", "", "", replace=_bootstrap),
    Row("multiprocessing.process", "BaseProcess.start", "spawn", "starting", replace=_start),
    Row("setproctitle", "setproctitle", "", "", replace=_title),
    Row("subprocess", "Popen.__init__", "subprocess", "program", detail=_begun),
    Row("subprocess", "Popen.wait", "subprocess", "program", replace=_waited_for),
    Row("subprocess", "Popen.communicate", "subprocess", "program", replace=_waited_for),
)
