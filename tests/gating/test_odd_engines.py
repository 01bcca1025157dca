"""Answers of a form that nobody promised, and moments in which this gateway itself is not well."""

import asyncio
import resource
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from firstlight.gateway.happenings import WakeWanted
from firstlight.gateway.states import State
from firstlight.wiring.gating.looking import Pace
from tests.gating.fake_engine import FakeEngine, Hazards, fake_engine
from tests.gating.gates import NEVER, gated, until

ODD_NUMBER = f"1{'0' * 400}"
"""Whole, and beyond any that a float can be."""
NO_TEXT = '{"choices": [{"text": "", "finish_reason": "length"}], "usage": %s}'


class Odd(FakeEngine):
    """One whose answers on some routes are what a test says."""

    said: Mapping[str, tuple[int, str]] = {}

    async def _is_sleeping(self, request: web.Request) -> web.Response:
        return self._odd(request) or await super()._is_sleeping(request)

    async def _embedded(self, request: web.Request) -> web.Response:
        return self._odd(request) or await super()._embedded(request)

    async def _generated(self, request: web.Request) -> web.StreamResponse:
        return self._odd(request) or await super()._generated(request)

    def _odd(self, request: web.Request) -> web.Response | None:
        if request.path not in self.said:
            return None
        status, text = self.said[request.path]
        return web.Response(status=status, text=text, content_type="application/json")


@contextmanager
def no_descriptor() -> Iterator[None]:
    """Whatever would open one fails as long; what is open stays so."""
    soft_and_hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, soft_and_hard[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, soft_and_hard)


@asynccontextmanager
async def odd_engine(said: Mapping[str, tuple[int, str]], **hazards: Any) -> AsyncIterator[Odd]:
    """One that is up."""
    engine = Odd(hazards=Hazards(**hazards))
    engine.said = said
    await engine.start()
    try:
        yield engine
    finally:
        await engine.kill()


@pytest.mark.parametrize(
    ("status", "text"),
    [(401, "{}"), (403, "{}"), (500, "{}"), (501, "{}"), (200, '{"is_sleeping": "no"}')],
)
async def test_one_that_does_not_say_whether_it_sleeps_is_a_plain_door(
    tmp_path: Path, status: int, text: str
) -> None:
    """It is well, serves, and is never put to sleep; one line says so."""
    async with (
        odd_engine({"/is_sleeping": (status, text)}) as engine,
        gated(engine, tmp_path) as front,
    ):
        assert 200 == (await front.complete())[0]
        await until(lambda: bool(front.events("sleeps_no_more")))

        assert 409 == (await front.admin("/-/sleep"))[0]
        (line,) = front.events("sleeps_no_more")
        assert f"/is_sleeping answered {status}" in line["why"]
        assert 200 == (await front.ask("/-/engine-livez"))[0]
        assert [] == engine.calls()


async def test_one_error_of_a_sleeping_engine_does_not_make_it_awake(tmp_path: Path) -> None:
    """Nor ten."""
    async with odd_engine({}) as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        engine.said = {"/is_sleeping": (500, "{}")}
        await until(lambda: bool(front.events("seen")))

        await asyncio.sleep(0.2)

        assert front.state is State.ASLEEP


async def test_a_number_that_is_none_is_no_answer(tmp_path: Path) -> None:
    """The gateway goes on, and is not ready."""
    vector = f'{{"data": [{{"embedding": [{ODD_NUMBER}]}}]}}'
    async with (
        odd_engine({"/v1/embeddings": (200, vector)}, kinds=("embeddings",)) as engine,
        gated(engine, tmp_path, awake=False) as front,
    ):
        await until(lambda: "without a token" in front.gate.ready().words)

        assert [200, 503] == [(await front.ask(path))[0] for path in ("/livez", "/readyz")]


async def test_a_fault_in_a_question_is_said_and_is_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no end of the gateway."""
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: told.append(what))
    async with fake_engine() as engine, gated(engine, tmp_path, token_every_s=0.05) as front:

        async def broken(tokens: int) -> None:
            raise ZeroDivisionError(tokens)

        with monkeypatch.context() as patched:
            patched.setattr(front.gate.questions, "ask", broken)
            await until(lambda: not front.gate.ready().yes)
            assert "a fault of the gateway: ZeroDivisionError" in front.gate.ready().words
        await front.until_ready()

        assert "the question for a token broke" == told[0]["message"]


@pytest.mark.parametrize(
    ("usage", "is_token"), [('{"completion_tokens": 1}', True), ("null", False)]
)
async def test_a_token_without_a_text_is_a_token(
    tmp_path: Path, usage: str, *, is_token: bool
) -> None:
    """Where an engine gives no numbers of tokens, the bill tells; it proves no more."""
    said = {"/v1/completions": (200, NO_TEXT % usage)}
    async with (
        odd_engine(said, counts=False) as engine,
        gated(engine, tmp_path, awake=is_token) as front,
    ):
        if not is_token:
            await until(lambda: "without a token" in front.gate.ready().words)
            return
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        await front.admin("/-/wake")
        await front.until(State.AWAKE)

        (verified,) = front.events("verified")
        assert "agreement" not in verified
        assert "only that it gives tokens is" in verified["says"]


async def test_without_a_descriptor_nothing_is_seen_and_nothing_lost(tmp_path: Path) -> None:
    """The engine is as it was; it is this process that cannot look."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        before = front.gate.keeper.now
        with no_descriptor():
            await asyncio.sleep(0.3)

        (seen,) = front.events("seen")
        assert "this gateway has no descriptor left" in seen["words"]
        assert before == front.gate.keeper.now
        assert 200 == (await front.complete())[0]


async def test_a_wake_up_waits_for_a_descriptor(tmp_path: Path) -> None:
    """To say that it failed would have the engine started anew."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        with no_descriptor():
            front.gate.keeper.feed(WakeWanted())
            await asyncio.sleep(0.2)
            assert front.state is State.WAKING

        await front.until(State.AWAKE)


async def test_what_the_gateway_stood_still_is_nobodys_time(tmp_path: Path) -> None:
    """A wake-up that ended meanwhile has not come too late."""
    policy = replace(NEVER, wake_within_ns=500_000_000)
    pace = Pace(every_s=0.02, silent_s=1)
    async with fake_engine() as engine, gated(engine, tmp_path, policy=policy, pace=pace) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        engine.hazards.wake_takes_s = 0.2
        answer = asyncio.create_task(front.complete())
        await front.until(State.WAKING)

        time.sleep(0.9)  # noqa: ASYNC251 - that is what stands still

        assert 200 == (await answer)[0]
        assert front.state is State.AWAKE


@pytest.mark.parametrize(("counts", "level", "lines"), [(False, 1, 1), (True, 1, 0), (False, 2, 0)])
async def test_that_nobody_knows_how_deep_it_sleeps_is_said(
    tmp_path: Path, counts: bool, level: int, lines: int
) -> None:
    """Before it is woken; a gateway that sleeps on level 2 wakes it in the order of that."""
    async with fake_engine(counts=counts) as engine:
        engine.asleep, engine.level = {"weights", "kv_cache"}, 1
        async with gated(engine, tmp_path, level=level) as front:
            await until(lambda: "GET /metrics" in engine.asked or level == 2)
            await asyncio.sleep(0.1)

            assert front.state is State.ASLEEP
            assert lines == len(front.events("depth_unknown"))
