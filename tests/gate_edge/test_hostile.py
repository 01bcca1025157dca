"""Nothing but data routes ever reaches the engine, however it is written; over real sockets."""

import asyncio
import re

import pytest

from firstlight.edges.gate.limits import Limits
from firstlight.gateway.routes import Route, route
from tests.gate_edge.gated import gated
from tests.gate_edge.hostile import REFUSED, TAKEN
from tests.gateway.control_routes import CONTROL, spellings

HASTE = Limits(
    head_within_s=0.1, body_idle_s=0.1, keep_alive_s=0.15, linger_s=0.02, body_bytes=1_000_000
)
ANSWER = re.compile(rb"HTTP/\d\.\d (\d{3}) ")
WRONG = frozenset({b"400", b"404", b"405", b"408", b"413", b"417", b"431"})


def test_the_tables_are_long() -> None:
    assert len(REFUSED) + len(TAKEN) > 200
    assert len(CONTROL) * len(spellings("/sleep")) > 2000


@pytest.mark.parametrize("sent", REFUSED.values(), ids=REFUSED.keys())
async def test_what_has_two_readings_is_refused(sent: bytes) -> None:
    async with gated(limits=HASTE) as gate:
        got = await gate.exchange(sent)
        codes = set(ANSWER.findall(got))
        assert codes
        assert codes <= WRONG, got
        assert ([], b"") == (gate.origin.asked, bytes(gate.origin.raw))
        assert (0, []) == (gate.door.entered, gate.own)


@pytest.mark.parametrize(("sent", "body"), TAKEN.values(), ids=TAKEN.keys())
async def test_what_has_one_reading_arrives_as_that(sent: bytes, body: bytes) -> None:
    async with gated(limits=HASTE) as gate:
        got = await gate.exchange(sent)
        codes = ANSWER.findall(got)
        assert (b"200", True) == (codes[0], set(codes[1:]) <= WRONG), got
        (asked,) = gate.origin.asked
        line, _ = sent.lstrip(b"\r\n").split(b"\r\n", 1)
        assert (line.decode(), body) == (asked.line, asked.body)
        assert not gate.origin.problems
        assert ["a"] == asked.all("host")


@pytest.mark.parametrize("control", CONTROL)
async def test_no_spelling_of_a_control_route_arrives(control: str) -> None:
    targets = spellings(control)
    async with gated() as gate:
        lines = [f"{method} {target}" for target in targets for method in ("POST", "GET")]
        answers = await asyncio.gather(
            *(
                gate.exchange(f"{line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
                for line in lines
            )
        )
        passed = {asked.line.removesuffix(" HTTP/1.1") for asked in gate.origin.asked}
        for line, got in zip(lines, answers, strict=True):
            (code,) = ANSWER.findall(got)
            assert (line in passed) == (b"200" == code), line
            assert code in WRONG or isinstance(route(*line.split(" ", 1)), Route), line
        # What did pass is no such route to the most obliging server; see tests/gateway.
        assert len(passed) <= 8
