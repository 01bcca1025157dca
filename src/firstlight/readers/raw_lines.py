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

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SAMPLE_BYTES = 64
"""So many bytes tell the encoding: ASCII text in UTF-16 has a NUL in every pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Whole lines as they came, and the number of the first."""

    first_line: int
    data: bytes
    """Ends with a newline, but for the last block."""


def blocks(chunks: Iterable[bytes]) -> Iterator[Block]:
    """Cut chunks at line ends; numbers count from 1.

    UTF-16 (a Windows shell's redirection) becomes UTF-8, and a byte order mark goes.
    """
    number, held = 1, b""
    for chunk in _utf8(chunks):
        end = chunk.rfind(b"\n") + 1
        if not end:
            held = _bounded(held + chunk)
            continue
        if held:
            first = chunk.index(b"\n") + 1
            data = _bounded(held + chunk[:first]) + chunk[first:end]
        else:
            data = chunk[:end]
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
    """The chunks unchanged, or decoded where the first bytes say UTF-16."""
    source = iter(chunks)
    head = b""
    for chunk in source:
        head += chunk
        if len(head) >= _SAMPLE_BYTES:
            break
    encoding = _encoding(head)
    if encoding is None:
        yield head.removeprefix(codecs.BOM_UTF8)
        yield from source
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    yield decoder.decode(head).removeprefix("\ufeff").encode("utf-8", "replace")
    for chunk in source:
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _encoding(head: bytes) -> str | None:
    """UTF-16 by its byte order mark or by a NUL in each pair; None for anything else."""
    for mark, name in _UTF16.items():
        if head.startswith(mark):
            return name
    sample = head[:_SAMPLE_BYTES]
    evens, odds = sample[::2], sample[1::2]
    if len(sample) == _SAMPLE_BYTES and not any(odds) and all(evens):
        return "utf-16-le"
    if len(sample) == _SAMPLE_BYTES and not any(evens) and all(odds):
        return "utf-16-be"
    return None
