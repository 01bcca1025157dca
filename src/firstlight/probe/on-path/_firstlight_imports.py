"""
Imports, by top-level package, and the moment a module has arrived.

Every import that is not answered from `sys.modules` calls `_find_and_load` of
the frozen import machinery, looked up anew each time (CPython 3.10 to 3.13), so
a replacement sees all of them. A record is written where the top-level package
changes: `vllm` that imports `torch` that imports `numpy` makes three nested
records, and what is left of each after its inner ones is its own time.

The replacement carries the file name of the frozen machinery: the interpreter
cuts such frames out of the tracebacks of failed imports, and `warnings` skips
them, so neither shows that anybody was watching.
"""

from __future__ import annotations

import _frozen_importlib as machinery
import sys
from _thread import get_ident

import _firstlight_bytecode as bytecode
import _firstlight_clock as clock
import _firstlight_records as records
import _firstlight_threads as threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SHORTEST_NS = 1_000_000
_LONG_NS = 50_000_000
"""An import of its own that took so long brought many modules: worth a record of how."""

_REPLACEMENT = """
def _find_and_load(name, import_):
    token = begin(name)
    try:
        return original(name, import_)
    finally:
        end(token, name)
"""

_current: dict[int, str] = {}
"""By thread: the top-level package whose import is under way."""


def watch(arrivals: dict[str, Any], on_arrival: Callable[[Any, Any], None]) -> None:
    """Record imports from here on; hand each module of the table over once it has arrived.

    Args:
        arrivals: module name -> what `on_arrival` wants with it; emptied as modules arrive.
        on_arrival: called with the module and its value in `arrivals`.
    """

    def end(token: tuple[str, str, int] | None, name: str) -> None:
        try:
            if token is not None:
                _end(token, name)
            if name in arrivals:
                module = sys.modules.get(name)
                if module is not None and not unfinished(module):
                    on_arrival(module, arrivals.pop(name))
        except Exception:
            pass

    original: Any = vars(machinery)["_find_and_load"]
    names = {"begin": _begin, "end": end, "original": original}
    exec(compile(_REPLACEMENT, "<frozen importlib._bootstrap>", "exec"), names)  # noqa: S102
    vars(machinery)["_find_and_load"] = names["_find_and_load"]


def _begin(name: str) -> tuple[str, str, int] | None:
    """Where the package changes: the package, the one around it, and the time."""
    try:
        top = name.partition(".")[0]
        thread = get_ident()
        outer = _current.get(thread, "")
        if top == outer:
            return None
        _current[thread] = top
        return top, outer, clock.now_ns()
    except Exception:
        return None


def _end(token: tuple[str, str, int], name: str) -> None:
    top, outer, start_ns = token
    end_ns = clock.now_ns()
    thread = get_ident()
    if outer:
        _current[thread] = outer
    else:
        _current.pop(thread, None)
    if end_ns - start_ns >= _SHORTEST_NS:
        record = {"k": "import", "n": top, "s": start_ns, "e": end_ns, "x": name}
        records.write(threads.marked(record))
        if not outer and end_ns - start_ns >= _LONG_NS:
            bytecode.write()


def unfinished(module: object) -> bool:
    """Whether a module's own code is still running (a circular import sees it so)."""
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def after_fork() -> None:
    """In a forked child, imports under way in other threads are nobody's."""
    bytecode.after_fork()
    mine = _current.get(get_ident())
    _current.clear()
    if mine is not None:
        _current[get_ident()] = mine
