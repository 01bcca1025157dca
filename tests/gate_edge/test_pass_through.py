"""What goes through a gateway, held against what an engine behind it gets, to the byte."""

import asyncio
from itertools import repeat

from firstlight.edges.gate.door import End, Refusal
from firstlight.edges.gate.limits import Limits
from firstlight.gateway.orders import Why
from tests.gate_edge.gated import gated, soon
from tests.gate_edge.origin import OK, Asked, Line, Origin

POST = b"POST /v1/completions HTTP/1.1\r\nHost: model.example\r\n"
GET = b"GET /v1/batches HTTP/1.1\r\nHost: model.example\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def saying(*pieces: bytes) -> Origin:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        for piece in pieces:
            await line.say(piece)

    return Origin(answer)


async def test_a_request_arrives_as_it_was_sent() -> None:
    async with gated() as gate:
        client = await gate.client(
            b"POST /v1/completions?a=%2F&b=|x&c HTTP/1.1\r\nHost: model.example:81\r\n"
            b"X-Two: 1\r\nx-two: 2\r\nAuthorization: Bearer key\r\nAccept-Encoding: zstd\r\n"
            b"Content-Length: 5\r\n\r\nhello"
        )
        assert (200, {"content-length": "2"}, b"ok") == await client.answer()
        (asked,) = gate.origin.asked
        assert "POST /v1/completions?a=%2F&b=|x&c HTTP/1.1" == asked.line
        assert [
            ("Host", "model.example:81"),
            ("X-Two", "1"),
            ("X-Two", "2"),
            ("Authorization", "Bearer key"),
            ("Accept-Encoding", "zstd"),
            ("Content-Length", "5"),
        ] == asked.headers
        assert b"hello" == asked.body


async def test_what_is_for_one_connection_only_does_not_pass_either_way() -> None:
    answer = (
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\n"
        b"Proxy-Authenticate: Basic\r\nX-Firstlight-Gate: forged\r\nX-Kept: 1\r\n"
        b"Content-Length: 0\r\n\r\n"
    )
    async with gated(saying(answer)) as gate:
        client = await gate.client(
            b"GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: X-Mine, TE\r\nX-Mine: 1\r\n"
            b"TE: trailers\r\nKeep-Alive: 5\r\nProxy-Connection: keep-alive\r\n"
            b"Proxy-Authorization: Basic eA==\r\nX-Kept: 1\r\n\r\n"
        )
        assert (200, {"x-kept": "1", "content-length": "0"}, b"") == await client.answer()
        assert [("Host", "a"), ("X-Kept", "1")] == gate.origin.asked[0].headers


async def test_an_offer_of_http_2_is_answered_in_http_1_with_its_body_passed() -> None:
    """As Java's client makes it; what follows on the connection is its next request."""
    async with gated() as gate:
        client = await gate.client(
            b"POST /v1/completions HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            b"Content-Length: 5\r\nHost: a\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk\r\n"
            b"Upgrade: h2c\r\n\r\nhello"
        )
        assert 200 == (await client.answer())[0]
        await client.say(GET)
        assert 200 == (await client.answer())[0]
        assert [b"hello", b""] == [asked.body for asked in gate.origin.asked]
        assert [("Host", "a"), ("Content-Length", "5")] == gate.origin.asked[0].headers


async def test_connections_are_kept_on_both_sides() -> None:
    async with gated() as gate:
        client = await gate.client()
        for _ in range(3):
            await client.say(GET)
            assert 200 == (await client.answer())[0]
        assert (3, 1) == (len(gate.origin.asked), len(gate.origin.lines))


async def test_each_piece_of_an_answer_goes_on_at_once() -> None:
    said = asyncio.Event()

    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(CHUNKED)
        for word in (b"one", b"two"):
            await said.wait()
            said.clear()
            await line.say(b"3\r\n" + word + b"\r\n")
        await said.wait()
        await line.say(b"0\r\n\r\n")

    async with gated(Origin(answer)) as gate:
        client = await gate.client(GET)
        head = await client.until(b"\r\n\r\n")
        assert b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" == head
        for word in (b"one", b"two"):
            said.set()
            assert b"3\r\n" + word + b"\r\n" == await client.reader.readexactly(8)
        said.set()
        assert b"0\r\n\r\n" == await client.reader.readexactly(5)


async def test_a_chunked_body_arrives_chunked_and_without_its_trailers() -> None:
    """As an engine on uvicorn would take it: it has no use for trailers."""
    async with gated() as gate:
        client = await gate.client(
            POST + b"Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
            b"3;note=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n"
        )
        status, headers, _ = await client.answer()
        assert (200, "close") == (status, headers["connection"])
        (asked,) = gate.origin.asked
        assert ("chunked", b"abcde") == (asked.all("transfer-encoding")[0], asked.body)
        assert not asked.all("x-sum")
        assert not asked.all("trailer")


async def test_no_trailer_becomes_a_header_of_the_next_request() -> None:
    async with gated() as gate:
        await gate.exchange(
            POST
            + b"Transfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: Bearer stolen\r\n\r\n"
            + GET
        )
        assert ["POST /v1/completions HTTP/1.1"] == [asked.line for asked in gate.origin.asked]
        await gate.exchange(
            b"POST /sleep HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"0\r\nAuthorization: Bearer stolen\r\n\r\n" + GET
        )
        assert 1 == len(gate.origin.asked)


async def test_an_answer_keeps_its_status_reason_and_each_of_its_headers() -> None:
    answer = (
        b"HTTP/1.1 429 Slow Down Please\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
        b"Content-Encoding: gzip\r\nServer: uvicorn\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"
    )
    async with gated(saying(answer)) as gate:
        client = await gate.client(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        got = await client.rest()
        assert got == answer.replace(
            b"Content-Length: 3\r\n", b"Content-Length: 3\r\nConnection: close\r\n"
        )


async def test_a_redirect_is_the_clients_to_follow() -> None:
    answer = b"HTTP/1.1 307 Temporary\r\nLocation: /sleep\r\nContent-Length: 0\r\n\r\n"
    async with gated(saying(answer)) as gate:
        client = await gate.client(GET)
        status, headers, _ = await client.answer()
        assert (307, "/sleep") == (status, headers["location"])
        assert 1 == len(gate.origin.asked)


async def test_answers_without_a_body_end_with_their_head() -> None:
    for method, answer, kept in (
        (b"HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n", b"Content-Length: 70\r\n"),
        (b"GET", b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"GET", b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", b"ETag: x\r\n"),
        (b"OPTIONS", b"HTTP/1.1 200 OK\r\nAllow: POST\r\nContent-Length: 0\r\n\r\n", b"Allow"),
    ):
        async with gated(saying(answer)) as gate:
            client = await gate.client(method + GET[3:])
            head = await client.until(b"\r\n\r\n")
            assert kept in head
            assert b"chunked" not in head
            await client.say(method + GET[3:])
            assert head == await client.until(b"\r\n\r\n")


async def test_words_before_an_answer_are_not_the_answer() -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    async with gated(saying(hints + OK)) as gate:
        assert 200 == (await (await gate.client(GET)).answer())[0]


async def test_an_answer_that_ends_with_its_connection_ends_in_chunks() -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 200 OK\r\n\r\nall of it")
        line.writer.close()

    async with gated(Origin(answer)) as gate:
        client = await gate.client(GET)
        assert b"9\r\nall of it\r\n0\r\n\r\n" in await client.until(b"0\r\n\r\n")
        old = await gate.client(b"GET /v1/models HTTP/1.0\r\n\r\n")
        assert b"HTTP/1.0 200 OK\r\n\r\nall of it" == await old.rest()


async def test_an_old_client_may_keep_its_connection() -> None:
    async with gated() as gate:
        client = await gate.client()
        for _ in range(2):
            await client.say(b"GET /v1/models HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            assert "keep-alive" == (await client.answer())[1]["connection"]


async def test_a_client_that_waits_to_be_told_is_told_once_it_is_let_in() -> None:
    async with gated() as gate:
        gate.door.opened.clear()
        client = await gate.client(POST + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert await soon(lambda: gate.door.waiting)
        gate.door.opened.set()
        assert b"HTTP/1.1 100 Continue\r\n\r\n" == await client.until(b"\r\n\r\n")
        await client.say(b"hello")
        assert 200 == (await client.answer())[0]
        assert b"hello" == gate.origin.asked[0].body
        assert not gate.origin.asked[0].all("expect")


async def test_a_client_that_waits_to_be_told_is_refused_without_its_body() -> None:
    async with gated() as gate:
        gate.door.refusal = Refusal(why=Why.FULL, words="too many wait", retry_after_s=3)
        client = await gate.client(POST + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        status, headers, body = await client.answer()
        assert (503, "3", "refused") == (
            status,
            headers["retry-after"],
            headers["x-firstlight-gate"],
        )
        assert b'"code": "queue_full"' in body
        assert not gate.origin.asked


async def test_a_body_goes_on_in_pieces_while_the_engine_takes_it() -> None:
    """One larger than what is kept; the engine has the first of it before the last is sent."""
    size = 1_000_000
    origin = Origin()
    async with gated(origin) as gate:
        client = await gate.client(POST + b"Content-Length: %d\r\n\r\n" % size)
        await client.say(b"x" * (size // 2))
        assert await soon(lambda: bool(origin.asked) and len(origin.asked[0].body) > size // 3)
        await client.say(b"x" * (size // 2))
        assert 200 == (await client.answer())[0]
        assert b"x" * size == origin.asked[0].body
        assert [size] == [exchanged.request_bytes for exchanged in gate.witness.exchanges]


async def test_an_early_answer_comes_through_before_the_body_went() -> None:
    async def answer(_: Origin, line: Line, __: Asked) -> None:
        await line.say(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")

    async with gated(Origin(answer, reads_bodies=False)) as gate:
        client = await gate.client(POST + b"Content-Length: 9000000\r\n\r\n" + b"x" * 70_000)
        status, _, body = await client.answer()
        assert (401, b"no") == (status, body)


async def test_a_slow_reader_slows_the_engine_and_not_the_memory() -> None:
    sent = 0
    piece = b"x" * 65_536

    async def answer(_: Origin, line: Line, __: Asked) -> None:
        nonlocal sent
        await line.say(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(piece) * 400))
        for each in repeat(piece, 400):
            await line.say(each)
            sent += len(piece)

    async with gated(Origin(answer)) as gate:
        client = await gate.client(GET, limit=4096)
        await client.until(b"\r\n\r\n")
        last = -1
        while last != sent:
            last = sent
            await asyncio.sleep(0.1)
        # What the sockets of four ends hold, and little more.
        assert 0 < sent < 20 * 1024 * 1024
        got = len(await client.reader.readexactly(len(piece) * 400))
        assert got == len(piece) * 400


async def test_counts_and_clocks_are_told_of_each_exchange() -> None:
    async with gated(saying(CHUNKED, b"3\r\nabc\r\n0\r\n\r\n")) as gate:
        client = await gate.client(POST + b"Content-Length: 4\r\n\r\nbody")
        await client.until(b"0\r\n\r\n")
        assert await soon(lambda: gate.witness.exchanges)
        (told,) = gate.witness.exchanges
        assert (End.WHOLE, 200, 4, 3) == (
            told.end,
            told.status,
            told.request_bytes,
            told.response_bytes,
        )
        assert told.first_byte_s is not None
        assert 0 < told.first_byte_s <= told.lasted_s < 1
        assert (1, 1) == (gate.door.entered, gate.door.left)


async def test_the_clock_of_the_first_byte_begins_with_the_end_of_the_body() -> None:
    async with gated() as gate:
        client = await gate.client(POST + b"Content-Length: 200000\r\n\r\n" + b"x" * 100_000)
        assert await soon(lambda: gate.origin.asked)
        await asyncio.sleep(0.3)
        await client.say(b"x" * 100_000)
        assert 200 == (await client.answer())[0]
        assert await soon(lambda: gate.witness.exchanges)
        (told,) = gate.witness.exchanges
        assert told.first_byte_s is not None
        assert told.first_byte_s < 0.25
        assert 0.3 <= told.lasted_s


async def test_what_cannot_generate_goes_past_a_door_that_is_shut() -> None:
    async with gated() as gate:
        gate.door.opened.clear()
        client = await gate.client()
        for method in (b"GET", b"OPTIONS", b"DELETE", b"PUT", b"PATCH"):
            await client.say(method + GET[3:])
            assert 200 == (await client.answer())[0]
        assert ([], 5) == (gate.door.kept, len(gate.origin.asked))


async def test_the_gateways_own_routes_never_reach_the_door() -> None:
    async with gated() as gate:
        client = await gate.client()
        for path in (b"/health", b"/readyz?verbose", b"/-/state"):
            await client.say(b"GET " + path + b" HTTP/1.1\r\nHost: a\r\nAuthorization: t\r\n\r\n")
            assert (200, b"own") == (await client.answer())[::2]
        assert [
            ("GET", "/health", "", "t"),
            ("GET", "/readyz", "verbose", "t"),
            ("GET", "/-/state", "", "t"),
        ] == [(own.method, own.path, own.query, own.authorization) for own in gate.own]
        assert (0, []) == (gate.door.entered, gate.origin.asked)


async def test_a_crowd_does_not_keep_out_who_asks_the_gateway_itself() -> None:
    async with gated(limits=Limits(connections=3, reserved_connections=2)) as gate:
        for _ in range(3):
            await gate.client()
        probe = await gate.client(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        assert 200 == (await probe.answer())[0]
        client = await gate.client(GET)
        status, headers, body = await client.answer()
        assert (503, "1", "close") == (status, headers["retry-after"], headers["connection"])
        assert b"too_many_connections" in body
        assert await soon(lambda: 4 == gate.server.connections)
        await gate.client()
        assert b"" == await (await gate.client(GET)).rest()
        assert not gate.origin.asked


async def test_a_crowd_does_not_keep_out_who_was_there_before_it() -> None:
    async with gated(limits=Limits(connections=1, reserved_connections=2)) as gate:
        first, second = await gate.client(), await gate.client()
        assert await soon(lambda: 2 == gate.server.connections)
        await first.say(GET)
        assert 200 == (await first.answer())[0]
        first.close()
        assert await soon(lambda: 1 == gate.server.connections)
        # Whoever was one too many is none once there is room.
        await second.say(GET)
        assert 200 == (await second.answer())[0]
        await gate.client()
        assert await soon(lambda: 2 == gate.server.connections)
        await second.say(GET)
        assert 200 == (await second.answer())[0]
