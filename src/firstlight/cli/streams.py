"""
Standard output and standard error, whoever reads them and for how long.

`firstlight lint . | head` reads ten lines and goes. What is still to be said then reaches nobody,
and what was found is as true as before: the command goes on to its end, so that its exit code
is the one of its answer.
"""

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Unread(io.FileIO):
    """A file descriptor that takes what nobody reads any more."""

    def write(self, data: "ReadableBuffer") -> int:
        """How many bytes are done with: written, or said to nobody."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(memoryview(data).cast("B"))


def let_readers_go() -> None:
    """
    Have both streams go on where their readers went.

    A terminal that cannot show a character gets it spelled out.
    """
    sys.stdout = _going_on(sys.stdout)
    sys.stderr = _going_on(sys.stderr, by_line=True)


def _going_on(stream: TextIO | None, *, by_line: bool = False) -> TextIO:
    if stream is None:
        # `>&-`: it was closed before this began.
        return Path(os.devnull).open("w", encoding="utf-8")
    try:
        descriptor = stream.fileno()
    except io.UnsupportedOperation:
        # Somebody put something else in its place.
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(Unread(descriptor, "wb", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=by_line or stream.isatty(),
    )
