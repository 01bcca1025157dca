"""A gateway in front of an origin, with a door that a test holds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from firstlight.edges.gate.door import Exchanged, OwnAnswer, OwnRequest, Refusal
from firstlight.edges.gate.engine_side import EngineSide
from firstlight.edges.gate.limits import Limits
from firstlight.edges.gate.server import GateServer
from tests.gate_edge.origin import Origin, listening


class StubDoor:
    """Open, unless it is shut; it knows who is inside."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.opened.set()
        self.refusal: Refusal | None = None
        self.entered = 0
        self.left = 0
        self.waiting = 0
        self.gave_up = 0
        self.kept: list[int] = []

    async def enter(self, body_bytes: int) -> Refusal | None:
        self.kept.append(body_bytes)
        self.waiting += 1
        try:
            await self.opened.wait()
        except asyncio.CancelledError:
            self.gave_up += 1
            raise
        finally:
            self.waiting -= 1
        if self.refusal is not None:
            return self.refusal
        self.entered += 1
        return None

    def leave(self) -> None:
        self.left += 1


@dataclass
class StubWitness:
    exchanges: list[Exchanged] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)

    def passed(self, exchanged: Exchanged) -> None:
        self.exchanges.append(exchanged)

    def turned_away(self, code: str) -> None:
        self.codes.append(code)


@dataclass(kw_only=True)
class Client:
    """A raw connection to the gateway."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def until(self, end: bytes) -> bytes:
        return await self.reader.readuntil(end)

    async def rest(self) -> bytes:
        """All that comes until the other side closes."""
        data = bytearray()
        with suppress(ConnectionError):
            while piece := await self.reader.read(1 << 16):
                data += piece
        return bytes(data)

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """One answer with a length: status, headers, body."""
        head = (await self.until(b"\r\n\r\n")).decode("latin-1")
        line, *rest = head[:-4].split("\r\n")
        headers = {key.lower(): value for key, value in (part.split(": ", 1) for part in rest)}
        body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return int(line.split(" ")[1]), headers, body

    def close(self) -> None:
        self.writer.close()


@dataclass(kw_only=True)
class Gated:
    origin: Origin
    door: StubDoor
    witness: StubWitness
    server: GateServer
    engine: EngineSide
    own: list[OwnRequest]
    clients: list[Client] = field(default_factory=list)

    async def client(self, data: bytes = b"", *, limit: int = 1 << 16) -> Client:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port, limit=limit)
        client = Client(reader=reader, writer=writer)
        self.clients.append(client)
        if data:
            await client.say(data)
        return client

    async def exchange(self, data: bytes) -> bytes:
        """All that comes back to these bytes until the connection ends, or nothing more comes."""
        client = await self.client(data)
        return await client.rest()


@asynccontextmanager
async def gated(
    origin: Origin | None = None, *, limits: Limits | None = None, url: str | None = None
) -> AsyncIterator[Gated]:
    origin = origin or Origin()
    door, witness = StubDoor(), StubWitness()
    own: list[OwnRequest] = []

    async def answer_own(request: OwnRequest) -> OwnAnswer:
        own.append(request)
        return OwnAnswer(status=200, body=b"own")

    async with listening(origin) as port, EngineSide(url or f"http://127.0.0.1:{port}") as engine:
        server = GateServer(
            door=door, own=answer_own, engine=engine, witness=witness, limits=limits
        )
        await server.start("127.0.0.1", 0)
        gate = Gated(
            origin=origin, door=door, witness=witness, server=server, engine=engine, own=own
        )
        try:
            yield gate
        finally:
            for client in gate.clients:
                client.close()
            await server.stop(within_s=0.3)


async def soon(truth: "object", within_s: float = 1.0) -> bool:
    """Whether something callable comes true in a moment."""
    until = asyncio.get_running_loop().time() + within_s
    while not truth():  # type: ignore[operator]
        if asyncio.get_running_loop().time() > until:
            return False
        await asyncio.sleep(0.005)
    return True
