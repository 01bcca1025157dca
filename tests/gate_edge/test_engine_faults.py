"""An engine that fails a request gives one honest error, and gets the request once."""

import asyncio
import gc
import json
import logging
import socket
import struct

import pytest

from firstlight.edges.gate.door import End
from tests.gate_edge.gated import Client, gated, soon
from tests.gate_edge.origin import OK, Asked, Line, Origin

POST = b"POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
GET = b"GET /v1/batches HTTP/1.1\r\nHost: a\r\n\r\n"


async def problem(client: Client) -> tuple[int, str]:
    status, headers, body = await client.answer()
    error = json.loads(body)["error"]
    assert ("refused", "server_error", None) == (
        headers["x-firstlight-gate"],
        error["type"],
        error["param"],
    )
    return status, error["code"]


async def test_an_engine_that_takes_no_connection() -> None:
    async with gated(url="http://127.0.0.1:9") as gate:
        client = await gate.client(POST)
        assert (502, "engine_unreachable") == await problem(client)
        await client.say(GET)
        assert (502, "engine_unreachable") == await problem(client)
        assert [End.ENGINE_FAILED] * 2 == [told.end for told in gate.witness.exchanges]
        assert (1, 1) == (gate.door.entered, gate.door.left)


@pytest.mark.parametrize("request_bytes", [POST, GET, GET.replace(b"GET", b"DELETE")])
async def test_an_engine_that_closes_before_it_answers_is_asked_once(request_bytes: bytes) -> None:
    """Also where the connection had been kept, and the method is one that libraries repeat."""

    async def answer(origin: Origin, line: Line, _: Asked) -> None:
        if 1 == len(origin.asked):
            await line.say(OK)
        else:
            line.writer.close()

    async with gated(Origin(answer)) as gate:
        client = await gate.client(request_bytes)
        assert 200 == (await client.answer())[0]
        await client.say(request_bytes)
        assert (502, "engine_broke_off") == await problem(client)
        assert 2 == len(gate.origin.asked)
        assert 1 == len(gate.origin.lines)


async def test_a_connection_that_was_kept_and_is_reset_is_no_fault_of_the_gateways(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def answer(origin: Origin, line: Line, _: Asked) -> None:
        if 1 == len(origin.asked):
            await line.say(OK[:-2])
            await asyncio.sleep(0.02)
            await line.say(OK[-2:])
        else:
            reset = struct.pack("ii", 1, 0)
            line.writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, reset
            )
            line.writer.transport.abort()

    async with gated(Origin(answer)) as gate:
        client = await gate.client(POST)
        assert 200 == (await client.answer())[0]
        await client.say(POST)
        assert (502, "engine_broke_off") == await problem(client)
    gc.collect()
    assert [] == [record for record in caplog.records if record.levelno > logging.INFO]


@pytest.mark.parametrize(
    "garbage",
    [
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 0\r\n\r\n",
        b"\x00" * 100,
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    ],
)
async def test_an_engine_that_speaks_no_http(garbage: bytes) -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(garbage)

    async with gated(Origin(answer)) as gate:
        assert (502, "engine_speaks_no_http") == await problem(await gate.client(POST))
        assert 1 == len(gate.origin.asked)


@pytest.mark.parametrize(
    ("head", "first"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"3\r\nabc\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n", b"abc"),
    ],
)
async def test_an_answer_that_breaks_off_is_seen_to_break_off(head: bytes, first: bytes) -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(head + first)
        await asyncio.sleep(0.02)
        line.writer.close()

    async with gated(Origin(answer)) as gate:
        # What came arrives, and the end that is missing stays missing.
        assert head + first == await gate.exchange(POST)
        assert await soon(lambda: gate.witness.exchanges)
        (told,) = gate.witness.exchanges
        assert (End.ENGINE_FAILED, 200, 3) == (told.end, told.status, told.response_bytes)


async def test_chunks_that_are_none_break_an_answer_off() -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        await asyncio.sleep(0.02)
        await line.say(b"what?\r\n")

    async with gated(Origin(answer)) as gate:
        assert (await gate.exchange(POST)).endswith(b"\r\n\r\n3\r\nabc\r\n")


async def test_one_that_cannot_be_seen_to_break_off_is_reset() -> None:
    """To HTTP/1.0 there is no other way to say that an answer is not whole."""

    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        await asyncio.sleep(0.02)
        line.writer.close()

    async with gated(Origin(answer)) as gate:
        client = await gate.client(b"GET /v1/batches HTTP/1.0\r\n\r\n")
        assert (await client.until(b"abc")).endswith(b"\r\n\r\nabc")
        with pytest.raises(ConnectionResetError):
            await client.reader.read()


async def test_what_is_abandoned_before_it_is_answered_gets_an_error() -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.gone.wait()

    async with gated(Origin(answer)) as gate:
        clients = [await gate.client(POST) for _ in range(5)]
        assert await soon(lambda: 5 == len(gate.origin.asked))
        gate.engine.abandon()
        for client in clients:
            assert (502, "engine_failed_meanwhile") == await problem(client)
        assert await soon(lambda: all(line.gone.is_set() for line in gate.origin.lines))
        assert [End.ABANDONED] * 5 == [told.end for told in gate.witness.exchanges]
        assert (5, 5) == (gate.door.entered, gate.door.left)
        gate.origin.answer = Origin().answer
        await clients[0].say(POST)
        assert 200 == (await clients[0].answer())[0]


async def test_what_is_abandoned_in_the_middle_is_cut() -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        await line.gone.wait()

    async with gated(Origin(answer)) as gate:
        client = await gate.client(POST)
        await client.until(b"abc\r\n")
        gate.engine.abandon()
        assert b"" == await client.rest()
        assert await soon(lambda: gate.witness.exchanges)
        assert End.ABANDONED is gate.witness.exchanges[0].end


async def test_nothing_that_was_sent_stands_in_a_log(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 hush-answer\r\n\r\n")

    caplog.set_level(logging.DEBUG)
    async with gated(Origin(answer)) as gate:
        await problem(await gate.client(POST.replace(b"hello", b"hush!")))
        for wrong in (
            b"GET /v1/hush HTTP/1.1\r\nHost: a\r\nAuthorization: hush\x00\r\n\r\n",
            b"hush\r\n\r\n",
            b"POST /v1/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhushhush",
        ):
            assert b" 400 " in await gate.exchange(wrong)
    assert "hush" not in caplog.text
    assert not [record for record in caplog.records if record.levelno > logging.INFO]
