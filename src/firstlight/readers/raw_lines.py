"""
Bytes to lines, whatever the bytes are.

Logs arrive as chunks of any size and may hold a line of ten megabytes, NULs, or
an encoding that is not UTF-8. A line ends at a newline only: a carriage return
is a progress bar redrawing itself and stays inside. An overlong line keeps its
head and its tail, because the head has the stamp and the tail the last state of
the bar; its middle is dropped, so memory stays bounded.
"""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LONGEST_BYTES = 64 * 1024
"""A longer line loses its middle."""

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Whole lines as they came, and the number of the first."""

    first_line: int
    data: bytes
    """Ends with a newline, but for the last block."""


def blocks(chunks: Iterable[bytes]) -> Iterator[Block]:
    """Cut chunks at line ends; numbers count from 1.

    UTF-16 with a byte order mark (a Windows shell's redirection) becomes UTF-8.
    """
    number, held = 1, b""
    for chunk in _utf8(chunks):
        end = chunk.rfind(b"\n") + 1
        if not end:
            held = _bounded(held + chunk)
            continue
        data = _bounded(held + chunk[: chunk.index(b"\n") + 1]) + chunk[
            chunk.index(b"\n") + 1 : end
        ]
        yield Block(first_line=number, data=data)
        number += data.count(b"\n")
        held = _bounded(chunk[end:])
    if held:
        yield Block(first_line=number, data=held)


def _bounded(line: bytes) -> bytes:
    if len(line) <= 2 * LONGEST_BYTES:
        return line
    return line[:LONGEST_BYTES] + b" ... " + line[-LONGEST_BYTES:]


def _utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks unchanged, or decoded where a byte order mark says UTF-16."""
    decoder: codecs.IncrementalDecoder | None = None
    first = True
    for chunk in chunks:
        if first and chunk.startswith(_UTF16):
            decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
        first = first and not chunk
        yield decoder.decode(chunk).encode("utf-8", "replace") if decoder else chunk
