"""
Whether modules come from bytecode, or are compiled from their sources once more.

The import machinery makes code of a `.pyc` file in one function and of a source in one
method (CPython 3.10 to 3.13, looked up anew each time), so a replacement of each counts
them. Like the one of `_firstlight_imports` it carries the file name of the frozen
machinery, and no traceback shows it.
"""

from __future__ import annotations

import _frozen_importlib_external as machinery

import _firstlight_clock as clock
import _firstlight_records as records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_REPLACEMENT = """
def {name}(*args, **kwargs):
    counts[{kind!r}] += 1
    return original(*args, **kwargs)
"""

_counts = {"read": 0, "compiled": 0}
_written: dict[str, int] = {}


def watch() -> None:
    """Count from here on."""
    _replace(machinery, "_compile_bytecode", "read")
    _replace(machinery.SourceLoader, "source_to_code", "compiled")


def _replace(holder: Any, name: str, kind: str) -> None:
    original = vars(holder).get(name)
    if original is None:
        return
    names: dict[str, Any] = {"counts": _counts, "original": original}
    code = _REPLACEMENT.format(name=name, kind=kind)
    exec(compile(code, "<frozen importlib._bootstrap_external>", "exec"), names)  # noqa: S102
    setattr(holder, name, names[name])


def write() -> None:
    """Record how many there were so far, if that has changed; never raises."""
    try:
        if any(_counts.values()) and _counts != _written:
            _written.update(_counts)
            records.write({"k": "modules", "t": clock.now_ns(), **_counts})
    except Exception:
        pass


def after_fork() -> None:
    """A forked child counts for itself."""
    _counts.update(read=0, compiled=0)
    _written.clear()
