"""
Records on disk: one JSON object a line, each written whole and at once.

Engine processes end by SIGKILL, so nothing is buffered. The file belongs to one
process; a forked child opens its own. Before each write the descriptor is
checked to be still our file: an engine may close descriptors it does not know,
and the number may by then be somebody's socket.
"""

# ruff: noqa: PTH100, PTH118  (pathlib: heavy to import this early)

from __future__ import annotations

import os

import _firstlight_clock as clock

try:
    # `json` itself is a heavy import this early; its accelerator is not.
    from _json import encode_basestring_ascii as _quote
except ImportError:
    from json.encoder import py_encode_basestring_ascii as _quote

_MOST_FAILURES = 20
"""After so many writes that failed in a row, a full disk is left alone."""


_LAST_STANDARD_STREAM = 2


class _File:
    """The file of this process."""

    folder = ""
    descriptor = -1
    identity = (0, 0)
    torn = False
    failures = 0


def open_in(folder: str) -> bool:
    """Begin the file of this process; False where that cannot be done."""
    _File.folder = os.path.abspath(folder)
    _File.failures = 0
    return _open()


def _open() -> bool:
    _File.descriptor = -1
    _File.torn = False
    name = f"{os.getpid()}-{clock.started()[0]}.jsonl"
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(os.path.join(_File.folder, name), flags, 0o644)
        if descriptor <= _LAST_STANDARD_STREAM:
            # The engine runs without one of its standard streams: take no number of theirs.
            os.close(descriptor)
            return False
        _File.identity = _identity(descriptor)
        _File.descriptor = descriptor
    except OSError:
        return False
    return True


def _identity(descriptor: int) -> tuple[int, int]:
    told = os.fstat(descriptor)
    return told.st_dev, told.st_ino


def after_fork() -> None:
    """In a forked child: leave the parent's file to the parent; the next record opens one."""
    _File.failures = 0
    try:
        if _File.descriptor >= 0 and _identity(_File.descriptor) == _File.identity:
            os.close(_File.descriptor)
    except OSError:
        pass
    _File.descriptor = -1


def write(record: dict[str, object]) -> None:
    """Put one record on disk, or lose it silently."""
    try:
        if _File.failures >= _MOST_FAILURES:
            return
        if not _ours() and not _open():
            _File.failures += 1
            return
        line = _json(record).encode("ascii") + b"\n"
        if _File.torn:
            line = b"\n" + line
        written = os.write(_File.descriptor, line)
        _File.torn = written != len(line)
        _File.failures = 0
    except Exception:
        _File.failures += 1


def _ours() -> bool:
    try:
        return _identity(_File.descriptor) == _File.identity
    except OSError:
        return False


def _json(value: object) -> str:
    """JSON of the plain values the probe writes, without importing `json`."""
    if isinstance(value, str):
        return _quote(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quote(str(k))}:{_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_json, value)) + "]"
    return _quote(str(value))
