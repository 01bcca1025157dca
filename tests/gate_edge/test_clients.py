"""Clients that go, that are slow, and that are many."""

import asyncio
import resource
import socket
from pathlib import Path

import pytest

from firstlight.edges.gate.door import End
from firstlight.edges.gate.limits import Limits
from tests.gate_edge.gated import gated, soon
from tests.gate_edge.origin import Asked, Line, Origin

POST = b"POST /v1/completions HTTP/1.1\r\nHost: a\r\n"
AROUND = b"POST  HTTP/1.1\r\n\r\n"
"""Of a head, what is not counted."""
ASK = b"POST /v1/batches HTTP/1.1\r\nHost: a\r\n\r\n"
HASTE = Limits(head_within_s=0.2, body_idle_s=0.2, stall_s=0.3, keep_alive_s=0.4, linger_s=0.1)


async def never(_: Origin, line: Line, __: Asked) -> None:
    await line.gone.wait()


@pytest.mark.parametrize("body_bytes", [0, 5, 60_000])
async def test_who_goes_while_waiting_is_noticed(body_bytes: int) -> None:
    async with gated() as gate:
        gate.door.opened.clear()
        body = b"x" * body_bytes
        head = POST + b"Content-Length: %d\r\n\r\n" % body_bytes
        client = await gate.client(head + body)
        assert await soon(lambda: gate.door.waiting)
        assert [len(head) - len(AROUND) + body_bytes] == gate.door.kept
        client.close()
        assert await soon(lambda: gate.door.gave_up)
        assert await soon(lambda: not gate.server.connections)
        assert (0, 0, []) == (gate.door.entered, gate.door.left, gate.origin.asked)


@pytest.mark.parametrize("whole", [True, False])
async def test_who_goes_while_nothing_is_read_is_noticed_too(whole: bool) -> None:
    """Of a large body no more is read than is kept; half a connection is as good as none."""
    async with gated() as gate:
        gate.door.opened.clear()
        client = await gate.client(POST + b"Content-Length: 900000\r\n\r\n" + b"x" * 70_000)
        assert await soon(lambda: gate.door.waiting)
        await client.say(b"x" * 60_000)
        (connection,) = gate.server._listener.open
        assert await soon(lambda: connection._reading_paused)
        assert 130_000 < gate.door.kept[0] < 500_000
        if whole:
            client.close()
        else:
            client.writer.write_eof()
        assert await soon(lambda: gate.door.gave_up)


async def test_the_engine_sees_that_a_client_went_before_the_answer() -> None:
    async with gated(Origin(never)) as gate:
        client = await gate.client(ASK)
        assert await soon(lambda: gate.origin.asked)
        client.close()
        assert await soon(gate.origin.lines[0].gone.is_set, 0.5)
        assert await soon(lambda: gate.witness.exchanges)
        assert (End.CLIENT_GONE, None) == (
            gate.witness.exchanges[0].end,
            gate.witness.exchanges[0].status,
        )
        assert (1, 1) == (gate.door.entered, gate.door.left)


async def test_the_engine_sees_that_a_client_went_in_the_middle() -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        await line.gone.wait()

    async with gated(Origin(answer)) as gate:
        client = await gate.client(ASK)
        await client.until(b"abc\r\n")
        client.close()
        assert await soon(gate.origin.lines[0].gone.is_set, 0.5)
        assert await soon(lambda: gate.witness.exchanges)
        assert End.CLIENT_GONE is gate.witness.exchanges[0].end


async def test_half_a_body_is_never_a_whole_one_to_the_engine() -> None:
    for framing, half in (
        (b"Content-Length: 200000", b"x" * 100_000),
        (b"Transfer-Encoding: chunked", b"186a0\r\n" + b"x" * 100_000 + b"\r\n"),
    ):
        async with gated() as gate:
            client = await gate.client(POST + framing + b"\r\n\r\n" + half)
            assert await soon(lambda: gate.origin.asked)
            client.close()
            assert await soon(gate.origin.lines[0].gone.is_set)
            assert not gate.origin.asked[0].whole


async def test_a_head_that_does_not_come_is_not_waited_for() -> None:
    async with gated(limits=HASTE) as gate:
        silent = await gate.client()
        half = await gate.client(b"GET /v1/batches HTTP/1.1\r\nHost: a\r\n")
        assert b"" == await silent.rest()
        got = await half.rest()
        assert got.startswith(b"HTTP/1.1 408 request_too_slow\r\n")
        assert b'"code": "request_too_slow"' in got
        assert not gate.server.connections


async def test_a_head_that_drips_is_not_waited_for_either() -> None:
    async with gated(limits=HASTE) as gate:
        client = await gate.client(b"GET /v1/batches HTTP/1.1\r\n")
        began = asyncio.get_running_loop().time()
        while gate.server.connections and asyncio.get_running_loop().time() - began < 1:
            client.writer.write(b"X: y\r\n")
            await asyncio.sleep(0.02)
        assert 0.2 <= asyncio.get_running_loop().time() - began < 0.5


async def test_a_second_head_that_drips_is_not_waited_for() -> None:
    async with gated(limits=Limits(head_within_s=0.2, keep_alive_s=60)) as gate:
        client = await gate.client(ASK)
        await client.answer()
        await asyncio.sleep(0.3)
        await client.say(ASK)
        await client.answer()
        await client.say(b"GET")
        assert b"408" in await client.rest()


async def test_a_connection_without_requests_ends() -> None:
    async with gated(limits=HASTE) as gate:
        client = await gate.client(ASK)
        await client.answer()
        assert b"" == await client.rest()


async def test_a_small_body_that_does_not_come_never_gets_to_the_door() -> None:
    async with gated(limits=HASTE) as gate:
        got = await gate.exchange(POST + b"Content-Length: 5\r\n\r\nhel")
        assert b"HTTP/1.1 408 " in got
        assert ([], []) == (gate.door.kept, gate.origin.asked)


async def test_a_large_body_that_stops_coming_ends_with_an_error() -> None:
    async with gated(limits=HASTE) as gate:
        got = await gate.exchange(POST + b"Content-Length: 200000\r\n\r\n" + b"x" * 100_000)
        assert b"HTTP/1.1 408 " in got
        assert End.CLIENT_SLOW is gate.witness.exchanges[0].end
        assert not gate.origin.asked[0].whole
        assert (1, 1) == (gate.door.entered, gate.door.left)


async def test_a_body_that_drips_is_late_on_the_average() -> None:
    async with gated(limits=HASTE) as gate:
        client = await gate.client(POST + b"Content-Length: 1000\r\n\r\n")
        got = asyncio.ensure_future(client.rest())
        for _ in range(100):
            if got.done():
                break
            client.writer.write(b"x")
            await asyncio.sleep(0.01)
        assert b" 408 " in await got


async def test_a_body_that_is_said_to_be_too_large_is_refused_unread() -> None:
    async with gated(limits=Limits(body_bytes=1000)) as gate:
        client = await gate.client(POST + b"Content-Length: 1001\r\n\r\n")
        status, headers, body = await client.answer()
        assert (413, "close") == (status, headers["connection"])
        assert b"a body may have 1000 bytes at most" in body
        assert ["body_too_large"] == gate.witness.codes
        assert not gate.door.kept


async def test_who_goes_on_sending_what_is_refused_still_reads_why() -> None:
    async with gated(limits=Limits(body_bytes=1000, linger_s=0.3)) as gate:
        client = await gate.client(POST + b"Content-Length: 1000000\r\n\r\n")
        for _ in range(10):
            await client.say(b"x" * 50_000)
            await asyncio.sleep(0.005)
        assert 413 == (await client.answer())[0]
        assert b"" == await client.rest()
        assert ["body_too_large"] == gate.witness.codes


async def test_a_body_that_turns_out_too_large_is_never_whole_to_the_engine() -> None:
    async with gated(limits=Limits(body_bytes=300_000, linger_s=0.1)) as gate:
        piece = b"186a0\r\n" + b"x" * 100_000 + b"\r\n"
        got = await gate.exchange(POST + b"Transfer-Encoding: chunked\r\n\r\n" + piece * 4)
        assert b"HTTP/1.1 413 " in got
        assert not any(asked.whole for asked in gate.origin.asked)
        assert await soon(gate.origin.lines[0].gone.is_set)


async def test_a_body_that_turns_out_too_large_before_the_door_never_gets_there() -> None:
    """More of it has come than is kept, and what came is enough to know."""
    async with gated(limits=Limits(body_bytes=70_000, linger_s=0.1)) as gate:
        piece = b"11170\r\n" + b"x" * 70_000 + b"\r\n1\r\nx\r\n"
        got = await gate.exchange(POST + b"Transfer-Encoding: chunked\r\n\r\n" + piece)
        assert b"HTTP/1.1 413 " in got
        assert ([], []) == (gate.door.kept, gate.origin.asked)


@pytest.mark.parametrize(("told", "kept"), [(1000, 1000), (900_000, 294_912)])
async def test_what_may_come_of_a_body_that_was_not_asked_for_yet_counts(
    told: int, kept: int
) -> None:
    async with gated() as gate:
        gate.door.opened.clear()
        head = POST + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % told
        await gate.client(head)
        assert await soon(lambda: gate.door.waiting)
        assert [len(head) - len(AROUND) + kept] == gate.door.kept


@pytest.mark.parametrize(
    "head",
    [
        b"GET /v1/" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /v1/a HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 9000 + b"\r\n\r\n",
        b"GET /v1/a HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"GET /v1/a HTTP/1.1\r\nHost: a\r\n" + (b"X: " + b"a" * 4000 + b"\r\n") * 20 + b"\r\n",
    ],
    ids=["line", "header", "count", "all"],
)
async def test_a_head_has_bounds(head: bytes) -> None:
    async with gated() as gate:
        got = await gate.exchange(head)
        assert got.split(b" ")[1] in {b"400", b"431"}
        assert b"Connection: close" in got or got.startswith(b"HTTP/1.0")
        assert not gate.origin.asked


async def test_a_head_without_an_end_is_bounded_while_it_comes() -> None:
    async with gated() as gate:
        client = await gate.client(b"GET /v1/a HTTP/1.1\r\nHost: a\r\n")
        sent = 0
        while gate.server.connections and sent < 10_000_000:
            client.writer.write(b"X: " + b"a" * 4000 + b"\r\n")
            sent += 4000
            await asyncio.sleep(0)
        assert b" 431 " in await client.rest()
        assert sent < 1_000_000


async def test_requests_behind_one_another_are_answered_in_order() -> None:
    async def answer(_: Origin, line: Line, asked: Asked) -> None:
        await line.say(b"HTTP/1.1 200 OK\r\nX-Of: %s\r\n" % asked.line.encode())
        await line.say(b"Content-Length: 0\r\n\r\n")

    async with gated(Origin(answer)) as gate:
        client = await gate.client(
            b"".join(b"POST /v1/a?%d HTTP/1.1\r\nHost: a\r\n\r\n" % number for number in range(50))
        )
        for number in range(50):
            assert f"POST /v1/a?{number} HTTP/1.1" == (await client.answer())[1]["x-of"]
        assert 50 == gate.door.left


async def test_what_stands_behind_a_request_that_waits_stays_with_its_sender() -> None:
    async with gated() as gate:
        gate.door.opened.clear()
        client = await gate.client(ASK)
        assert await soon(lambda: gate.door.waiting)
        client.writer.write(ASK * 300_000)
        unsent, before = client.writer.transport.get_write_buffer_size(), 0
        while unsent != before:
            await asyncio.sleep(0.05)
            before, unsent = unsent, client.writer.transport.get_write_buffer_size()
        # What is not there lies in the buffers of sockets.
        assert unsent > len(ASK) * 300_000 - 8_000_000
        client.writer.transport.abort()


async def test_large_heads_behind_a_request_that_waits_end_it() -> None:
    head = b"GET /v1/a HTTP/1.1\r\nHost: a\r\n" + b"X: %s\r\n" % (b"a" * 4000) * 5 + b"\r\n"
    async with gated() as gate:
        gate.door.opened.clear()
        client = await gate.client(ASK)
        assert await soon(lambda: gate.door.waiting)
        for _ in range(10):
            client.writer.write(head)
            await asyncio.sleep(0.01)
        assert b"" == await client.rest()
        assert (1, 0) == (gate.door.gave_up, gate.door.entered)


async def test_who_takes_nothing_of_its_answer_is_let_go() -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not line.gone.is_set():
            await line.say(b"10000\r\n" + b"x" * 65_536 + b"\r\n")

    async with gated(Origin(answer), limits=HASTE) as gate:
        await gate.client(ASK, limit=4096)
        assert await soon(lambda: gate.witness.exchanges, 1.5)
        assert End.CLIENT_SLOW is gate.witness.exchanges[0].end
        assert await soon(gate.origin.lines[0].gone.is_set)
        assert (0, 1) == (gate.server.connections, gate.door.left)


async def test_who_takes_nothing_of_the_last_bytes_is_let_go_too() -> None:
    """Few enough that the gateway is done with them and only the connection is left."""
    body = b"x" * 5_000_000

    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async with gated(Origin(answer), limits=HASTE) as gate:
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.setblocking(False)  # noqa: FBT003 - the socket's own signature
        await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", gate.server.port))
        plain.send(ASK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert await soon(lambda: gate.server.connections)
        assert await soon(lambda: not gate.server.connections, 1.5)
        plain.close()


@pytest.mark.timeout(6)  # a thousand connections on a machine with other things to do
async def test_a_thousand_that_wait_take_little_memory_and_are_missed_when_they_go() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8192)), hard))
    many, body = 1000, b"x" * 700
    async with gated() as gate:
        gate.door.opened.clear()
        head = POST + b"Authorization: Bearer key\r\nContent-Type: application/json\r\n"
        head += b"Content-Length: %d\r\n\r\n" % len(body)
        before = _resident_bytes()
        clients = [socket.create_connection(("127.0.0.1", gate.server.port)) for _ in range(many)]
        for client in clients:
            client.sendall(head + body)
        assert await soon(lambda: many == gate.door.waiting, 3)
        each = (_resident_bytes() - before) / many - len(body)
        assert each < 20 * 1024, each
        assert {len(head) - len(AROUND) + 700} == set(gate.door.kept)
        for client in clients:
            client.close()
        assert await soon(lambda: many == gate.door.gave_up, 3)
        assert (0, []) == (gate.door.entered, gate.origin.asked)


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
