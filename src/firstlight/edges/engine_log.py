"""
engine.log: what the engine printed, each piece with the moment it arrived.

One record a line, in the framing of container runtimes (CRI), so that whatever
reads a pod's log reads this: stamp, stream, F or P, text. P says that the line
goes on in the next record of its stream. Three kinds of text make P records: a
line longer than 16 KiB, a progress bar that redraws itself with a carriage
return, and whatever was written without a line end and has not got one yet.
The pieces of a stream, put together, are its bytes, but for secrets.

Each batch is one unbuffered append: if we are killed, the kernel has it.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from firstlight.core.units import NS_PER_S

LONGEST_BYTES = 16 * 1024
"""Longer lines are cut, as the container runtimes cut theirs."""

# A redraw either ends in a carriage return or begins with one.
_REDRAWS = re.compile(rb"\r*[^\r]+\r*|\r+")


class Frames:
    """The bytes of one stream, as records."""

    def __init__(self, stream: str) -> None:
        self._stream = stream.encode()
        self._open = False

    def records(self, data: bytes, *, unix_ns: int) -> bytes:
        """What arrived together, framed; every record carries that moment."""
        lines = data.split(b"\n")
        framed = bytearray()
        for line in lines[:-1]:
            *parts, last = list(_pieces(line)) or [b""]
            for part in parts:
                framed += self._record(unix_ns, b"P", part)
            framed += self._record(unix_ns, b"F", last)
        for part in _pieces(lines[-1]):
            framed += self._record(unix_ns, b"P", part)
        if data:
            self._open = not data.endswith(b"\n")
        return bytes(framed)

    def end(self, *, unix_ns: int) -> bytes:
        """At the end of the stream: a last line without a line end is whole now."""
        if not self._open:
            return b""
        self._open = False
        return self._record(unix_ns, b"F", b"")

    def _record(self, unix_ns: int, tag: bytes, text: bytes) -> bytes:
        return b"%s %s %s %s\n" % (stamp(unix_ns), self._stream, tag, text)


def _pieces(line: bytes) -> Iterator[bytes]:
    for redraw in _REDRAWS.findall(line):
        for start in range(0, len(redraw), LONGEST_BYTES):
            yield redraw[start : start + LONGEST_BYTES]


def stamp(unix_ns: int) -> bytes:
    """RFC 3339 in UTC with nine digits, which datetime cannot hold."""
    whole, rest = divmod(unix_ns, NS_PER_S)
    return b"%s.%09dZ" % (f"{datetime.fromtimestamp(whole, UTC):%Y-%m-%dT%H:%M:%S}".encode(), rest)


class EngineLog:
    """The file, and the one place where secrets are taken out of it."""

    def __init__(self, path: Path, *, secrets: Sequence[str]) -> None:
        self._file = path.open("xb", buffering=0)
        self._secrets = [os.fsencode(secret) for secret in secrets]
        self._frames = {name: Frames(name) for name in ("stdout", "stderr")}
        self.problem: OSError | None = None
        """Why the file is incomplete; None while it is not."""

    def cleaned(self, data: bytes) -> bytes:
        """The bytes with every known secret blacked out.

        A secret that two writes tear apart is not found.
        """
        for secret in self._secrets:
            data = data.replace(secret, b"***")
        return data

    def write(self, stream: str, data: bytes, *, unix_ns: int) -> None:
        self._append(self._frames[stream].records(data, unix_ns=unix_ns))

    def end(self, stream: str, *, unix_ns: int) -> None:
        self._append(self._frames[stream].end(unix_ns=unix_ns))

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()

    def _append(self, records: bytes) -> None:
        # A full disk must not stop us from reading: the engine would wait for us.
        if self.problem is None:
            try:
                while records:
                    records = records[self._file.write(records) :]
            except OSError as full:
                self.problem = full
