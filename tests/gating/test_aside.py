"""What goes on beside the rest, and breaks alone."""

import asyncio
from typing import Any

from firstlight.wiring.gating.aside import Aside


async def test_what_is_begun_anew_or_put_down_goes_on_no_more() -> None:
    """One at a time, and none after that."""
    ended: list[int] = []

    async def one(number: int) -> None:
        await asyncio.sleep(0.01)
        ended.append(number)

    aside = Aside("it")
    aside.begin(one(1))
    aside.begin(one(2))
    await asyncio.sleep(0.03)
    aside.begin(one(3))
    assert aside.has_begun
    aside.stop()
    await asyncio.sleep(0.03)

    assert ([2], False) == (ended, aside.has_begun)


async def test_what_breaks_is_said_at_once() -> None:
    """Though it is still held, and nobody waits for it."""
    said: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: said.append(told))
    broken = KeyError("x")

    async def breaks() -> None:
        raise broken

    aside = Aside("the replay")
    aside.begin(breaks())
    await asyncio.sleep(0.01)

    assert [{"message": "the replay broke", "exception": broken}] == said
