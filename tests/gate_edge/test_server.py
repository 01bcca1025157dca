"""A gateway that begins and ends."""

import asyncio

import pytest

from firstlight.core.errors import BadInput
from firstlight.edges.gate.door import End, OwnAnswer, OwnRequest
from firstlight.edges.gate.engine_side import EngineSide
from firstlight.edges.gate.server import GateServer
from tests.gate_edge.gated import StubDoor, StubWitness, gated, soon
from tests.gate_edge.origin import OK, Asked, Line, Origin

ASK = b"POST /v1/batches HTTP/1.1\r\nHost: a\r\n\r\n"


async def never(_: OwnRequest) -> OwnAnswer:
    raise AssertionError


async def other() -> GateServer:
    engine = EngineSide("http://127.0.0.1:9")
    return GateServer(door=StubDoor(), own=never, engine=engine, witness=StubWitness())


async def test_a_port_that_is_taken_is_said_in_one_sentence() -> None:
    async with gated() as gate:
        server = await other()
        with pytest.raises(BadInput) as refused:
            await server.start("127.0.0.1", gate.server.port)
        assert f"127.0.0.1:{gate.server.port} is taken" in refused.value.message
        await server.stop(within_s=0)


async def test_an_address_of_another_machine_is_said_too() -> None:
    server = await other()
    with pytest.raises(BadInput, match=r"192\.0\.2\.1:0 is no address of this machine"):
        await server.start("192.0.2.1", 0)
    await server.stop(within_s=0)


async def test_all_addresses_are_listened_on_where_none_is_given() -> None:
    server = await other()
    await server.start(None, 0)
    assert 1024 < server.port
    await server.stop(within_s=0)


async def test_winding_down_each_answer_ends_its_connection() -> None:
    async with gated() as gate:
        client, late = await gate.client(ASK), await gate.client(ASK)
        assert "connection" not in (await client.answer())[1]
        await late.answer()
        gate.server.wind_down()
        await client.say(ASK)
        assert "close" == (await client.answer())[1]["connection"]
        assert b"" == await client.rest()
        await late.say(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        assert "close" == (await late.answer())[1]["connection"]
        assert b"" == await late.rest()


async def test_what_is_being_answered_ends_before_the_gateway_does() -> None:
    go_on = asyncio.Event()

    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await go_on.wait()
        await line.say(OK)

    async with gated(Origin(answer)) as gate:
        idle, busy = await gate.client(), await gate.client(ASK)
        assert await soon(lambda: bool(gate.origin.asked))
        stopping = asyncio.ensure_future(gate.server.stop(within_s=1))
        assert b"" == await idle.rest()
        with pytest.raises(ConnectionRefusedError):
            await gate.client()
        assert not stopping.done()
        go_on.set()
        assert 200 == (await busy.answer())[0]
        await stopping
        assert End.WHOLE is gate.witness.exchanges[0].end


async def test_what_does_not_end_in_time_is_cut() -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.gone.wait()

    async with gated(Origin(answer)) as gate:
        client = await gate.client(ASK)
        assert await soon(lambda: bool(gate.origin.asked))
        await gate.server.stop(within_s=0.05)
        assert b"" == await client.rest()
        assert (1, 1) == (gate.door.entered, gate.door.left)
        assert await soon(gate.origin.lines[0].gone.is_set)
