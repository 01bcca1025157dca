"""A minute of inputs that nobody made; each run draws others, and says which."""

import asyncio
import random
import secrets
import time

import pytest

from firstlight.edges.gate.limits import Limits
from tests.gate_edge.fuzz import GOOD, decided, looked_through, sent
from tests.gate_edge.gated import gated

AT_ONCE = 64
TARGETS_S, REQUESTS_S = 5, 55
HASTE = Limits(
    head_within_s=0.05, body_idle_s=0.05, keep_alive_s=0.1, linger_s=0.01, body_bytes=1_000_000
)


@pytest.mark.timeout(TARGETS_S + 10)
def test_no_target_that_nobody_made_passes_for_another() -> None:
    begins, number = secrets.randbits(32), 0
    until_s = time.monotonic() + TARGETS_S
    while time.monotonic() < until_s:
        try:
            decided(random.Random(begins + number))  # noqa: S311 - drawn, not hidden
        except BaseException as error:
            error.add_note(f"random.Random({begins + number})")
            raise
        number += 1
    assert number > 1000


@pytest.mark.timeout(REQUESTS_S + 30)
async def test_no_request_that_nobody_made_is_another_to_the_engine() -> None:
    begins, number = secrets.randbits(32), 0
    until_s = time.monotonic() + REQUESTS_S
    while time.monotonic() < until_s:
        async with gated(limits=HASTE) as gate:
            chances = [random.Random(begins + number + each) for each in range(AT_ONCE)]  # noqa: S311
            ends = await asyncio.gather(
                *(sent(chance, gate) for chance in chances), return_exceptions=True
            )
            try:
                assert all(end is None or isinstance(end, ConnectionError) for end in ends), ends
                looked_through(gate)
                assert (await gate.exchange(GOOD)).startswith(b"HTTP/1.1 200 ")
            except BaseException as error:
                error.add_note(f"one of random.Random({begins + number}) and {AT_ONCE - 1} more")
                raise
            number += AT_ONCE
    assert number > 10 * AT_ONCE
