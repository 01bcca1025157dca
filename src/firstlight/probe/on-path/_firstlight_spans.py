"""
Functions of the engine, replaced by ones that also note when they ran.

A row of the table names a function and what its running means. The function is
replaced in its module or class as soon as that module has arrived; a name that
is not there (another version of the engine) is skipped. The replacement calls
the original with the same arguments, returns what it returns and lets through
what it raises. A coroutine is noted only while it runs, not while it is
suspended: what it waits for is somebody else's work.
"""

# ruff: noqa: SIM105  (contextlib: heavy to import this early)

from __future__ import annotations

import _firstlight_clock as clock
import _firstlight_records as records
import _firstlight_threads as threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator, Iterable
    from typing import Any

_SHORTEST_NS = 1_000_000
_MOST_RECORDS = 1_000
_FUNCTION = type(lambda: None)
_COROUTINE_FLAG = 0x80
_GENERATOR_FLAGS = 0x20 | 0x200


class Row:
    """One function to watch: where it is, and what its running means."""

    __slots__ = (
        "announced",
        "detail",
        "group",
        "kind",
        "left",
        "module",
        "name",
        "qualname",
        "replace",
    )

    def __init__(
        self,
        module: str,
        qualname: str,
        group: str,
        name: str,
        *,
        kind: str = "span",
        announced: bool = False,
        detail: Callable[[tuple[Any, ...], dict[str, Any]], str] | None = None,
        replace: Callable[[Any, Row], Any] | None = None,
    ) -> None:
        self.module = module
        self.qualname = qualname
        self.group = group
        self.name = name
        self.kind = kind
        """"span" for work, "wait" where another process does the work."""
        self.announced = announced
        """Whether its beginning is recorded too, so that a start that never ends can be told."""
        self.detail = detail
        """Called with the function's positional and keyword arguments; its text is recorded."""
        self.replace = replace
        """Called with the function and the row, makes the replacement; None for a plain span."""
        self.left = _MOST_RECORDS
        """How many records it may still write: an engine that serves for weeks fills no disk."""


class Token:
    """A span under way."""

    __slots__ = ("detail", "number", "row", "start_ns")

    def __init__(self, row: Row, start_ns: int, number: int | None, detail: str | None) -> None:
        self.row = row
        self.start_ns = start_ns
        self.number = number
        """By which the end finds its announced beginning; None if that was not announced."""
        self.detail = detail


class _Last:
    number = 0


def begin(
    row: Row, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> Token | None:
    """Note that the row's function begins; give what `end` wants."""
    if not row.left:
        return None
    try:
        detail = row.detail(args, kwargs or {}) if row.detail else None
    except Exception:
        detail = None
    try:
        token = Token(row, clock.now_ns(), None, detail)
        if row.announced:
            _announce(token)
    except Exception:
        return None
    return token


def _announce(token: Token) -> None:
    row = token.row
    token.number = _Last.number = _Last.number + 1
    record: dict[str, object] = {"k": "begin", "i": token.number, "g": row.group, "n": row.name}
    record["s"] = token.start_ns
    if row.kind == "wait":
        record["w"] = 1
    records.write(threads.marked(record))


def end(token: Token | None, **more: object) -> None:
    """Note that it ended, unless it was too short to matter."""
    try:
        if token is None:
            return
        row, end_ns = token.row, clock.now_ns()
        if end_ns - token.start_ns < _SHORTEST_NS and token.number is None:
            return
        row.left = max(0, row.left - 1)
        record: dict[str, object] = {"k": row.kind, "g": row.group, "n": row.name}
        record.update(s=token.start_ns, e=end_ns)
        if token.number is not None:
            record["i"] = token.number
        if token.detail:
            record["x"] = str(token.detail)[:200]
        record.update(more)
        records.write(threads.marked(record))
    except Exception:
        pass


def wrap_all(module: object, rows: Iterable[Row]) -> None:
    """Replace each function of the rows that the module has."""
    for row in rows:
        try:
            _wrap(module, row)
        except Exception:
            pass


def _wrap(module: object, row: Row) -> None:
    *owners, last = row.qualname.split(".")
    owner = module
    for name in owners:
        owner = vars(owner)[name]
    found = vars(owner).get(last)
    if getattr(getattr(found, "__func__", found), "_firstlight", False):
        # Re-exported: the class is one that another row has already seen.
        return
    if isinstance(found, (staticmethod, classmethod)):
        setattr(owner, last, type(found)(_replacement(found.__func__, row)))
    elif isinstance(found, _FUNCTION) or (found is not None and row.replace):
        setattr(owner, last, _replacement(found, row))


def _replacement(function: Any, row: Row) -> Any:
    import functools  # noqa: PLC0415  (heavy for a process that has no function to replace)

    replacement: Any = functools.wraps(function)((row.replace or spanned)(function, row))
    vars(replacement)["_firstlight"] = True
    return replacement


def spanned(function: Any, row: Row) -> Any:
    """A replacement that notes when the function ran, and nothing else."""
    flags = function.__code__.co_flags
    if flags & _COROUTINE_FLAG:
        return _spanned_coroutine(function, row)
    if flags & _GENERATOR_FLAGS:
        # A generator's work is done where it is iterated; timing the call would time nothing.
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        token = begin(row, args, kwargs)
        try:
            return function(*args, **kwargs)
        finally:
            end(token)

    return call


def _spanned_coroutine(function: Any, row: Row) -> Any:
    async def call(*args: Any, **kwargs: Any) -> Any:
        return await _Stepped(function(*args, **kwargs), row)

    return call


class _Stepped:
    """An awaitable that runs a coroutine and notes each stretch in which it really ran."""

    __slots__ = ("_coroutine", "_row")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], row: Row) -> None:
        self._coroutine = coroutine
        self._row = row

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._coroutine
        step: Callable[[Any], Any] = inner.send
        given: list[Any] = [None]
        try:
            while True:
                token = begin(self._row)
                try:
                    # Popped, not named: a frame that holds an error it let through is a cycle.
                    awaited = step(given.pop())
                except StopIteration as stop:
                    return stop.value
                finally:
                    end(token)
                try:
                    step, given = inner.send, [(yield awaited)]
                except GeneratorExit:
                    raise
                except BaseException as error:
                    step, given = inner.throw, [error]
        finally:
            inner.close()
