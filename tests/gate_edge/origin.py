"""
An engine's socket, without an engine: it keeps all that reaches it, to the byte.

It answers as a test says, on the wire: what an HTTP library would not write can be written here.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass(kw_only=True)
class Asked:
    """One request as it arrived."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes = b""
    whole: bool = False
    """Whether its body came to its end."""

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]


@dataclass(kw_only=True)
class Line:
    """One connection of the gateway's to it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """The other side has closed it."""

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()


Answer = Callable[["Origin", Line, Asked], Awaitable[None]]


async def ok(_: "Origin", line: Line, __: Asked) -> None:
    await line.say(OK)


class Origin:
    """What listens in the engine's place."""

    def __init__(self, answer: Answer = ok, *, reads_bodies: bool = True) -> None:
        self.answer = answer
        self.reads_bodies = reads_bodies
        self.asked: list[Asked] = []
        self.lines: list[Line] = []
        self.raw = bytearray()
        self.problems: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader=reader, writer=writer)
        self.lines.append(line)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._one(line):
                pass
        line.gone.set()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async def _one(self, line: Line) -> bool:
        head = await line.reader.readuntil(b"\r\n\r\n")
        self.raw += head
        first, *rest = head[:-4].split(b"\r\n")
        if b"\n" in head.replace(b"\r\n", b"") or b"\r" in head.replace(b"\r\n", b""):
            self.problems.append(f"a line ends alone: {head!r}")
        pairs = [tuple(part.decode("latin-1").split(": ", 1)) for part in rest]
        asked = Asked(line=first.decode("latin-1"), headers=pairs)  # type: ignore[arg-type]
        self.asked.append(asked)
        if self.reads_bodies:
            await self.read_body(line, asked)
        waiting = asyncio.ensure_future(self.answer(self, line, asked))
        # Nothing comes before the answer is out, but the end of the stream.
        watching = asyncio.ensure_future(self._watch(line)) if asked.whole else None
        await waiting
        if watching is not None:
            watching.cancel()
            await asyncio.wait([watching])
        return not line.writer.is_closing()

    async def read_body(self, line: Line, asked: Asked) -> None:
        """All of the body, by the framing that its head tells."""
        lengths, codings = asked.all("content-length"), asked.all("transfer-encoding")
        if len(lengths) + len(codings) > 1 or codings not in ([], ["chunked"]):
            self.problems.append(f"framed twice: {asked.headers}")
        while codings:
            size = int(await line.reader.readuntil(b"\r\n"), 16)
            piece = await line.reader.readexactly(size + 2)
            asked.body += piece[:-2]
            if not size:
                break
        if lengths:
            while len(asked.body) < int(lengths[0]):
                piece = await line.reader.read(min(1 << 16, int(lengths[0]) - len(asked.body)))
                if not piece:
                    raise ConnectionError
                asked.body += piece
        asked.whole = True

    async def _watch(self, line: Line) -> None:
        # The reader is asked for nothing, so that a next request stays in it.
        while not line.reader.at_eof():  # noqa: ASYNC110 - a stream has no event for its end
            await asyncio.sleep(0.005)
        line.gone.set()


@asynccontextmanager
async def listening(origin: Origin) -> AsyncIterator[int]:
    server = await asyncio.start_server(origin.serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for line in origin.lines:
            line.writer.close()
