"""A whole gateway before a fake engine, in the loop of the test, and what it says."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp

from firstlight.core.units import NS_PER_S
from firstlight.edges.gate.log_lines import LogLines
from firstlight.gateway.policy import Policy
from firstlight.gateway.states import State
from firstlight.wiring.gating.looking import Pace
from firstlight.wiring.gating.priming import Prefix
from firstlight.wiring.gating.running import Gate
from firstlight.wiring.gating.settings import Settings
from tests.gating.fake_engine import FakeEngine

TOKEN = "correct-horse"
NEVER = Policy(idle_ns=None, min_awake_ns=0)
"""It sleeps when it is told to."""


def soon(idle_s: float) -> Policy:
    """It sleeps by itself."""
    return Policy(idle_ns=round(idle_s * NS_PER_S), min_awake_ns=0)


class Front:
    """A gateway, and a client of it."""

    def __init__(self, gate: Gate, said: io.StringIO, client: aiohttp.ClientSession) -> None:
        self.gate = gate
        self._said = said
        self.client = client

    @property
    def state(self) -> State:
        return self.gate.keeper.now.state

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._said.getvalue().splitlines()]

    @property
    def said(self) -> str:
        return self._said.getvalue()

    def events(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == event]

    async def ask(
        self, path: str, *, method: str = "GET", token: str | None = None, body: object = None
    ) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = f"http://127.0.0.1:{self.gate.server.port}{path}"
        async with self.client.request(method, url, headers=headers, json=body) as reply:
            return reply.status, await reply.text()

    async def complete(self, prompt: str = "hi", **more: Any) -> tuple[int, Any]:
        """One request as clients make them."""
        body = {"prompt": prompt, "max_tokens": 3, **more}
        status, text = await self.ask("/v1/completions", method="POST", body=body)
        return status, json.loads(text)

    async def admin(self, path: str) -> tuple[int, dict[str, Any]]:
        method = "GET" if path.endswith("state") else "POST"
        status, text = await self.ask(path, method=method, token=TOKEN)
        told: dict[str, Any] = json.loads(text)
        return status, told

    async def until(self, state: State) -> None:
        await until(lambda: self.state is state, f"{state}, and not {self.state}: {self.said}")

    async def until_ready(self) -> None:
        await until(lambda: self.gate.ready().yes, f"ready: {self.said}")


async def until(true: Callable[[], bool], what: str = "it", within_s: float = 5.0) -> None:
    """Wait for something."""
    try:
        async with asyncio.timeout(within_s):
            while not true():  # noqa: ASYNC110 - what is waited for is anything
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise AssertionError(f"it never was {what}") from None


@asynccontextmanager
async def gated(
    engine: FakeEngine | str,
    tmp_path: Path,
    *,
    policy: Policy = NEVER,
    prefixes: tuple[Prefix, ...] = (),
    awake: bool = True,
    **more: Any,
) -> AsyncIterator[Front]:
    """A gateway that is up, and its engine seen; ended by being told to."""
    token = tmp_path / "token"
    if not token.exists():
        token.write_text(f"{TOKEN}\n")
    said = io.StringIO()
    settings = Settings(
        engine=engine if isinstance(engine, str) else engine.url,
        host="127.0.0.1",
        port=0,
        policy=policy,
        admin_token_file=token,
        drain_delay_s=0,
        drain_s=1,
        pace=Pace(every_s=0.02, silent_s=1),
    )
    gate = Gate(replace(settings, **more), prefixes, LogLines(said))
    running = asyncio.create_task(gate.run())
    try:
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=8)
        ) as client:
            front = Front(gate, said, client)
            await until(lambda: running.done() or bool(front.events("listening")), "listening")
            if awake and not running.done():
                await front.until_ready()
            yield front
    finally:
        gate.end()
        gate.end()
        await running
