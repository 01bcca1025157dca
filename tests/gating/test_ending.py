"""What becomes of those who are there when a gateway ends."""

import asyncio
import json
from pathlib import Path

from firstlight.gateway.states import State
from tests.gating.fake_engine import fake_engine
from tests.gating.gates import gated, until


async def test_who_waits_in_vain_until_the_end_gets_an_answer(tmp_path: Path) -> None:
    """The engine does not wake up as long as the gateway may take to end."""
    async with (
        fake_engine(wake_hangs=True) as engine,
        gated(engine, tmp_path, drain_s=0.1) as front,
    ):
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        waiting = asyncio.create_task(
            front.ask("/v1/completions", method="POST", body={"prompt": "hi"})
        )
        await until(lambda: 1 == front.gate.keeper.now.waiting)
        front.gate.end()
        status, text = await waiting
        assert (503, "draining") == (status, json.loads(text)["error"]["code"])
