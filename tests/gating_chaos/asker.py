"""
Clients on plain sockets, that see just what comes: whole, cut, nothing, or more than was asked.

A library would try again, or join what came; here it is to be told.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from firstlight.gateway.answers import MARK, MARKED
from tests.gating_chaos.wanted import Leaving, Sending, Wanted

_PIECES = 3
_PAUSE_S = 0.03


class Ending(StrEnum):
    """What a client got."""

    RIGHT = "right answer"
    WRONG = "wrong answer"
    REFUSED = "gateway's error"
    ENGINE_ERROR = "engine's error"
    CUT = "cut answer"
    NOTHING = "closed without a word"
    UNCONNECTED = "no connection"
    LEFT = "client left"
    HUNG = "no end in time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """The end of one request, as its client saw it."""

    ending: Ending
    code: str = ""
    """Of the gateway's error; or what was wrong."""


@dataclass(slots=True, kw_only=True)
class _Line:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def close(self, *, resets: bool = False) -> None:
        if resets:
            self.writer.transport.abort()
        else:
            self.writer.close()


@dataclass(slots=True, kw_only=True)
class _Said:
    status: int
    headers: dict[str, str]
    body: bytearray = field(default_factory=bytearray)


class _Left(Exception):
    """The client goes."""


class Askers:
    """All clients of a gateway, and the connections that they keep."""

    def __init__(self, port: int, *, bound_s: float) -> None:
        """
        Args:
            port: of the gateway.
            bound_s: whoever has no end by then has none.
        """
        self._port = port
        self._bound_s = bound_s
        self._kept: list[_Line] = []

    def forget(self) -> None:
        """Another gateway takes the place of the one that these connections lead to."""
        for line in self._kept:
            line.close()
        self._kept.clear()

    async def ask(self, wanted: Wanted) -> Got:
        """
        Be one client.

        Args:
            wanted: what it does.
        """
        try:
            line = await self._connected(wanted)
        except OSError as error:
            return Got(ending=Ending.UNCONNECTED, code=type(error).__name__)
        said: _Said | None = None
        keeps = False
        try:
            async with asyncio.timeout(self._bound_s):
                await _send(line, wanted)
                said = await _head(line, wanted)
                await self._body(line, wanted, said)
                got = _judged(wanted, said)
                keeps = wanted.keeps_connection and said.headers.get("connection") != "close"
                if not keeps and await line.reader.read():
                    return Got(ending=Ending.WRONG, code="more came than one answer")
                return got
        except _Left:
            return Got(ending=Ending.LEFT)
        except TimeoutError:
            return Got(ending=Ending.HUNG, code="before the head" if said is None else "after it")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            begun = said is not None or bool(getattr(error, "partial", b""))
            return Got(ending=Ending.CUT if begun else Ending.NOTHING, code=type(error).__name__)
        finally:
            if keeps:
                self._kept.append(line)
            else:
                line.close(resets=wanted.resets)

    async def surplus(self) -> bytes:
        """What came on the connections that are kept, and nobody asked for."""
        found = b""
        for line in self._kept:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.01):
                    found += await line.reader.read(1)
        return found

    async def _connected(self, wanted: Wanted) -> _Line:
        while wanted.keeps_connection and self._kept:
            line = self._kept.pop()
            if not line.reader.at_eof():
                return line
            line.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        return _Line(reader=reader, writer=writer)

    async def _body(self, line: _Line, wanted: Wanted, said: _Said) -> None:
        async for piece in _pieces(line.reader, said.headers):
            said.body += piece
            if wanted.leaving is Leaving.READING and said.status == 200:
                raise _Left


async def _send(line: _Line, wanted: Wanted) -> None:
    chunked = wanted.sending is Sending.CHUNKED
    body = wanted.body
    head = [f"POST {wanted.path} HTTP/1.1", "Host: gate", "Content-Type: application/json"]
    head += ["Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"]
    head += [] if wanted.keeps_connection else ["Connection: close"]
    line.writer.write("\r\n".join([*head, "", ""]).encode())
    if wanted.leaving is Leaving.SENDING:
        line.writer.write(body[: len(body) // 2])
        await asyncio.sleep(wanted.leaves_after_s)
        raise _Left
    if wanted.sending is Sending.WHOLE:
        line.writer.write(body)
        await line.writer.drain()
        return
    step = len(body) // _PIECES + 1
    for at in range(0, len(body), step):
        piece = body[at : at + step]
        line.writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        await line.writer.drain()
        await asyncio.sleep(_PAUSE_S)
    if chunked:
        line.writer.write(b"0\r\n\r\n")


async def _head(line: _Line, wanted: Wanted) -> _Said:
    waits_s = wanted.leaves_after_s if wanted.leaving is Leaving.WAITING else None
    leaves = asyncio.timeout(waits_s)
    try:
        async with leaves:
            head = await line.reader.readuntil(b"\r\n\r\n")
    except TimeoutError:
        if leaves.expired():
            raise _Left from None
        raise
    first, *rest = head[:-4].decode("latin-1").split("\r\n")
    pairs = (one.split(": ", 1) for one in rest)
    return _Said(
        status=int(first.split(" ")[1]), headers={name.lower(): value for name, value in pairs}
    )


async def _pieces(reader: asyncio.StreamReader, headers: dict[str, str]) -> AsyncIterator[bytes]:
    if "transfer-encoding" not in headers:
        yield await reader.readexactly(int(headers["content-length"]))
        return
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)


def _judged(wanted: Wanted, said: _Said) -> Got:
    """What a whole answer is worth."""
    try:
        if said.headers.get(MARK.lower()) == MARKED:
            error = json.loads(said.body)["error"]
            if said.status >= 500 and error["message"] and error["type"]:
                return Got(ending=Ending.REFUSED, code=error["code"])
            return Got(ending=Ending.WRONG, code=f"{said.status}: {error}")
        if said.status >= 500:
            return Got(ending=Ending.ENGINE_ERROR, code=json.loads(said.body)["error"]["message"])
        if said.status != 200:
            return Got(ending=Ending.WRONG, code=f"{said.status}: {bytes(said.body[:100])!r}")
        events = _events(bytes(said.body)) if wanted.stream else [json.loads(said.body)]
        if any("error" in event for event in events):
            return Got(ending=Ending.ENGINE_ERROR, code="in the stream")
        texts = [_text(event) for event in events]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        return Got(ending=Ending.WRONG, code=f"{error!r}: {bytes(said.body[:100])!r}")
    words = texts if wanted.stream else texts[0].split(" ")
    right = words == wanted.answer
    return Got(ending=Ending.RIGHT if right else Ending.WRONG, code="" if right else f"{words}")


def _events(body: bytes) -> list[dict[str, Any]]:
    """Of a stream that is whole: its last one says so."""
    parts = body.decode().split("\n\n")
    if parts[-2:] != ["data: [DONE]", ""]:
        raise ValueError("it lacks its end")
    return [json.loads(part.removeprefix("data: ")) for part in parts[:-2]]


def _text(event: dict[str, Any]) -> str:
    choice = event["choices"][0]
    said = choice.get("delta") or choice.get("message")
    return str(said["content"] if said else choice["text"])
