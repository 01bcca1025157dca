"""A gateway that ends, and one that begins beside an engine that is there already."""

import asyncio
from pathlib import Path

import pytest

from firstlight.gateway.states import State
from firstlight.wiring.gating import own_routes
from tests.gating.fake_engine import fake_engine
from tests.gating.gates import gated, until


async def test_one_that_begins_beside_a_sleeping_engine_knows_how_to_wake_it(
    tmp_path: Path,
) -> None:
    """From its state file, where the engine does not say how deep it sleeps."""
    file = tmp_path / "state.json"
    async with fake_engine(counts=False) as engine:
        async with gated(engine, tmp_path, level=2, state_file=file) as front:
            before = await front.complete()
            await front.admin("/-/sleep")
            await front.until(State.ASLEEP)
        engine.asked.clear()

        async with gated(engine, tmp_path, state_file=file) as front:
            assert front.state is State.ASLEEP
            assert before == await front.complete()

            assert [
                "POST /wake_up?tags=weights",
                "POST /collective_rpc",
                "POST /wake_up?tags=kv_cache",
            ] == engine.calls()
            assert 1.0 == front.events("verified")[0]["agreement"]


async def test_what_the_engine_says_of_its_depth_counts_more(tmp_path: Path) -> None:
    """Somebody else put it to sleep; without a file nothing is held against it."""
    async with fake_engine() as engine:
        engine.asleep, engine.level, engine.has_weights = {"weights", "kv_cache"}, 2, False
        async with gated(engine, tmp_path) as front:
            assert 200 == (await front.complete())[0]

            assert "POST /collective_rpc" in engine.calls()
            (said,) = front.events("verified")
            assert "what it said before it slept is not known" in said["says"]


async def test_nonsense_is_found_by_the_next_gateway_too(tmp_path: Path) -> None:
    """It has the first one's word for what is right."""
    file = tmp_path / "state.json"
    async with fake_engine(weights_lost=True) as engine:
        async with gated(engine, tmp_path, state_file=file) as front:
            await front.admin("/-/sleep")
            await front.until(State.ASLEEP)

        async with gated(engine, tmp_path, state_file=file) as front:
            assert 503 == (await front.complete())[0]
            assert "weights did not come back" in (front.gate.keeper.now.failure or "")


async def test_a_file_of_no_use_costs_nothing_but_what_is_in_it(tmp_path: Path) -> None:
    """Said once, and the gateway goes on."""
    file = tmp_path / "state.json"
    for text in ("{", '{"schema": "firstlight.gate/9"}', "\xff", "[]"):
        file.write_text(text, "latin-1")
        async with fake_engine() as engine, gated(engine, tmp_path, state_file=file) as front:
            assert 200 == (await front.complete())[0]
            (line,) = front.events("state_file")
            assert str(file) in line["problem"]


async def test_what_an_engine_said_that_is_awake_is_asked_anew(tmp_path: Path) -> None:
    """It may be another than the one of the file."""
    file = tmp_path / "state.json"
    async with fake_engine() as engine:
        async with gated(engine, tmp_path, state_file=file) as front:
            await front.admin("/-/sleep")
            await front.until(State.ASLEEP)
        await engine.kill()
        engine.hazards.kinds = ("chat",)
        await engine.start()

        async with gated(engine, tmp_path, state_file=file) as front:
            await front.admin("/-/sleep")
            await front.until(State.ASLEEP)
            await front.admin("/-/wake")
            await front.until(State.AWAKE)
            assert 1.0 == front.events("verified")[0]["agreement"]


async def test_a_drain_lets_what_is_there_end(tmp_path: Path) -> None:
    """Not ready at once, nothing new after the delay, and the engine's container told last."""
    async with fake_engine(token_takes_s=0.15) as engine, gated(engine, tmp_path) as front:
        answer = asyncio.create_task(front.complete())
        await until(lambda: front.gate.keeper.now.in_flight == 1)
        drained = asyncio.create_task(front.ask("/-/drained"))

        front.gate.end()
        await until(lambda: front.gate.keeper.now.draining)

        assert 503 == (await front.ask("/readyz"))[0]
        status, said = await front.complete()
        assert (503, "draining") == (status, said["error"]["code"])
        assert not drained.done()
        assert 200 == (await answer)[0]
        assert (200, "nothing is with the engine\n") == await drained
        await until(lambda: bool(front.events("ended")))


async def test_who_waits_for_a_wake_up_is_answered_in_a_drain(tmp_path: Path) -> None:
    """It came before the end was told."""
    async with fake_engine(wake_takes_s=0.2) as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        answer = asyncio.create_task(front.complete())
        await front.until(State.WAKING)

        front.gate.end()

        assert 200 == (await answer)[0]


async def test_a_drain_is_not_waited_for_where_none_begins(tmp_path: Path) -> None:
    """The engine's container alone is ended, for example because it failed."""
    async with fake_engine(health=503) as engine, gated(engine, tmp_path, awake=False) as front:
        engine.hazards.health = None
        await front.until_ready()
        engine.hazards.health = 503
        await front.until(State.FAILED)

        began = asyncio.get_running_loop().time()
        assert 200 == (await front.ask("/-/drained"))[0]
        assert 1 > asyncio.get_running_loop().time() - began


async def test_an_engine_that_ends_alone_is_told_that_there_is_no_drain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is well and awake, so whether its pod ends shows in a moment."""
    monkeypatch.setattr(own_routes, "_DRAIN_BEGINS_WITHIN_S", 0.05)
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        assert (200, "no drain has begun\n") == await front.ask("/-/drained")


async def test_a_drain_ends_in_its_time(tmp_path: Path) -> None:
    """Whatever goes on without end."""
    async with (
        fake_engine() as engine,
        gated(engine, tmp_path, drain_s=0.1) as front,
    ):
        engine.hazards.token_takes_s = 60
        answer = asyncio.create_task(front.complete())
        await until(lambda: front.gate.keeper.now.in_flight == 1)

        front.gate.end()

        await until(lambda: bool(front.events("ended")), within_s=2)
        (ending,), (ended,) = front.events("ending"), front.events("ended")
        assert (1, 0) == (ending["in_flight"], ended["in_flight"])
        await asyncio.gather(answer, return_exceptions=True)
