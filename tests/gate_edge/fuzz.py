"""
What strangers could send, without end: requests spoiled in their bytes or put together wrongly.

Whatever comes, what reaches the engine is whole requests in plain framing, each for a route that
is its own in the one spelling, and the gateway still answers the next client.
"""

import asyncio
import random

from firstlight.gateway.routes import Route, route
from tests.gate_edge.gated import Gated
from tests.gate_edge.hostile import REFUSED, TAKEN
from tests.gateway.control_routes import CONTROL, sloppy, spellings

GOOD = b"GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
_SEEDS = (GOOD, *(sent for sent, _ in TAKEN.values()), *REFUSED.values())
_BITS = (
    *(b"\r\n", b"\n", b"\r", b" ", b"\t", b"\x00", b"\x0b", b":", b";", b",", b"0", b"\r\n\r\n"),
    *(b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n", b"Content-Length: 0\r\n"),
    *(b"0\r\n\r\n", b"5\r\n", b"Connection: close\r\n", b"Expect: 100-continue\r\n", b"HTTP/1.1"),
    *(b"/sleep", b"/v1/..", b"%2e%2e", b"%73leep", b"//", b"#", b"?", b"POST /sleep HTTP/1.1\r\n"),
)


def target(chance: random.Random) -> str:
    """A target that somebody spoiled."""
    seeds = spellings(chance.choice(CONTROL))
    text = chance.choice((*seeds, "/v1/chat/completions", "/v1/responses/resp_1/cancel", "/score"))
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(text) + 1)
        bit = chance.choice(
            ("/", ".", "..", "%2f", "%", ";", "\\", "?", "#", "\0", "é", "V1", "v1")
        )
        text = text[:at] + chance.choice((bit, chr(chance.randrange(256)))) + text[at:]
    return text


def decided(chance: random.Random) -> None:
    """One target: whatever passes is plain, and no server takes it for a control route."""
    text = target(chance)
    goes = route("POST", text)
    if isinstance(goes, Route) and not goes.is_own:
        assert goes.path.isascii(), text
        assert sloppy(goes.path) == goes.path.lower(), text
        assert sloppy(goes.path) not in CONTROL, text
        assert not set(goes.query) & set(" #\r\n\0"), text


def request(chance: random.Random) -> bytes:
    """A request, or two, that somebody spoiled."""
    spoiled = bytearray(chance.choice(_SEEDS))
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(spoiled) + 1)
        match chance.randrange(5):
            case 0:
                spoiled[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del spoiled[at : at + chance.randrange(1, 20)]
            case 2:
                spoiled[at:at] = chance.choice(_BITS)
            case 3:
                spoiled[at:at] = chance.choice(_SEEDS)
            case _:
                spoiled[at:at] = spoiled[at : at + chance.randrange(1, 60)]
    return bytes(spoiled)


async def sent(chance: random.Random, gate: Gated) -> None:
    """One request over a socket, in one piece or in several."""
    data = request(chance)
    client = await gate.client()
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.choice((0, 0, 1, 3))))
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        await client.say(data[begin:end])
    async with asyncio.timeout(10):
        await client.rest()


def looked_through(gate: Gated) -> None:
    """What reached the engine is plain, and for it; none of it was too much for the gateway."""
    for asked in gate.origin.asked:
        method, text, version = asked.line.split(" ")
        goes = route(method, text)
        assert isinstance(goes, Route), asked
        assert not goes.is_own, asked
        assert sloppy(goes.path) not in CONTROL, asked
        assert "HTTP/1.1" == version, asked
    assert not gate.origin.problems
    assert "gateway_fault" not in gate.witness.codes
