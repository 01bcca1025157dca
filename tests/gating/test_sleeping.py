"""Asleep when idle, awake when wanted, and true about it: a whole gateway before an engine."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from firstlight.edges.gate.questions import SAME_TOKENS
from firstlight.edges.gate.state_file import Kept, StateFile
from firstlight.gateway.states import State
from tests.gating.fake_engine import fake_engine
from tests.gating.gates import NEVER, gated, soon, until


async def test_an_idle_engine_falls_asleep_and_a_request_wakes_it(tmp_path: Path) -> None:
    """The client sees an answer that took longer, and nothing else."""
    async with fake_engine() as engine, gated(engine, tmp_path, policy=soon(0.3)) as front:
        before = await front.complete()
        await front.until(State.ASLEEP)
        assert engine.asleep

        assert before == await front.complete()

        assert ["POST /sleep?level=1&mode=wait", "POST /wake_up"] == engine.calls()


async def test_of_level_2_the_weights_come_back_in_their_order(tmp_path: Path) -> None:
    """A bare wake-up would answer 200, and then nonsense."""
    async with fake_engine() as engine, gated(engine, tmp_path, level=2) as front:
        before = await front.complete()
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        assert not engine.has_weights

        assert before == await front.complete()

        took_s = (await front.admin("/-/state"))[1]["fixed_request_s"]
        assert 0 < took_s["before"] < 1
        assert 0 < took_s["after"] < 1
        assert [
            "POST /sleep?level=2&mode=wait",
            "POST /wake_up?tags=weights",
            "POST /collective_rpc",
            "POST /wake_up?tags=kv_cache",
        ] == engine.calls()


async def test_a_thousand_that_wait_are_let_in_by_one_wake_up_in_order(tmp_path: Path) -> None:
    """One call, and all are with the engine within a second."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        keeper = front.gate.keeper
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        engine.hazards.wake_takes_s = 0.05
        order: list[int] = []

        async def wait(number: int) -> None:
            assert await keeper.enter(100) is None
            order.append(number)

        waiting = [asyncio.create_task(wait(number)) for number in range(1000)]
        await until(lambda: keeper.now.waiting == 1000)
        assert 100_000 == keeper.now.waiting_bytes
        await asyncio.gather(*waiting)

        assert list(range(1000)) == order
        assert (1000, 0, 0) == (keeper.now.in_flight, keeper.now.waiting, keeper.now.waiting_bytes)
        assert 1 == engine.calls().count("POST /wake_up")
        for _ in range(1000):
            keeper.leave()


async def test_a_request_in_flight_is_not_aborted_by_a_sleep(tmp_path: Path) -> None:
    """Whoever wants it asleep waits for it."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        engine.hazards.token_takes_s = 0.1
        answer = asyncio.create_task(front.complete())
        await until(lambda: front.gate.keeper.now.in_flight == 1)

        status, told = await front.admin("/-/sleep")

        assert (202, "awake", True) == (status, told["state"], told["sleep_wanted"])
        assert "length" == (await answer)[1]["choices"][0]["finish_reason"]
        engine.hazards.token_takes_s = 0
        await front.until(State.ASLEEP)
        assert 0 == engine.aborted


async def test_a_sleep_that_fails_leaves_nobody_waiting(tmp_path: Path) -> None:
    """It answers 500 and says that it sleeps: so it is woken, and three times are enough."""
    async with fake_engine(sleep_fails=True) as engine, gated(engine, tmp_path) as front:
        for _ in range(3):
            assert 202 == (await front.admin("/-/sleep"))[0]
            await until(lambda: front.state is State.AWAKE)
            assert 200 == (await front.complete())[0]

        status, told = await front.admin("/-/sleep")

        assert 409 == status
        assert "3 sleeps failed one after another: /sleep answered 500: no room" in told["no_sleep"]
        assert 3 == len([one for one in front.events("state") if "no room" in one["why"]])


async def test_a_wake_up_that_kills_the_core_refuses_all_who_wait(tmp_path: Path) -> None:
    """And the engine's own probe says that its container is to be started anew."""
    async with fake_engine(wake_kills=True) as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        assert 200 == (await front.ask("/-/engine-livez"))[0]

        answers = await asyncio.gather(*(front.complete() for _ in range(5)))

        assert {503} == {status for status, _ in answers}
        assert {"engine_failed"} == {said["error"]["code"] for _, said in answers}
        assert 503 == (await front.ask("/-/engine-livez"))[0]
        assert 503 == (await front.ask("/readyz"))[0]
        assert 200 == (await front.ask("/livez"))[0]

        engine.hazards.wake_kills = False
        await engine.kill()
        await front.until(State.STARTING)
        await engine.start()
        await front.until_ready()
        assert 200 == (await front.complete())[0]


async def test_a_wake_up_that_hangs_ends_in_its_time(tmp_path: Path) -> None:
    """Nobody hangs with it."""
    policy = replace(NEVER, wake_within_ns=200_000_000)
    async with (
        fake_engine(wake_hangs=True) as engine,
        gated(engine, tmp_path, policy=policy) as front,
    ):
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)

        status, said = await front.complete()

        assert (503, "engine_failed") == (status, said["error"]["code"])
        assert "it did not come to wake up in time" == front.gate.keeper.now.failure


async def test_one_that_waited_too_long_is_told_so(tmp_path: Path) -> None:
    """With when to come again; the engine goes on waking up."""
    async with fake_engine() as engine, gated(engine, tmp_path, wait_s=0.1) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        engine.hazards.wake_takes_s = 0.3

        status, said = await front.complete()

        assert (503, "waited_too_long") == (status, said["error"]["code"])
        assert 0 == front.gate.keeper.now.waiting
        await front.until(State.AWAKE)
        assert 200 == (await front.complete())[0]


async def test_weights_that_do_not_come_back_are_found(tmp_path: Path) -> None:
    """It answers 200, and nonsense: that is a failure, and nobody gets to read it."""
    async with fake_engine(weights_lost=True) as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)

        status, said = await front.complete()

        assert (503, "engine_failed") == (status, said["error"]["code"])
        assert "its weights did not come back" in (front.gate.keeper.now.failure or "")
        assert (
            'firstlight_gate_failures_total{what="verify"} 1.0' in (await front.ask("/metrics"))[1]
        )


async def test_a_request_before_the_first_call_turns_the_sleep_back(tmp_path: Path) -> None:
    """What it says awake is still being asked then, so it was never told; and no sleep failed."""
    async with fake_engine(token_takes_s=0.02) as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.FALLING_ASLEEP)
        status, _ = await front.complete("is anybody there")

        assert (200, State.AWAKE) == (status, front.state)
        assert [] == engine.calls()
        assert 0 == front.gate.keeper.now.failed_sleeps

        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        assert 1 == front.gate.keeper.now.sleeps
        # What it says awake was known by then.
        assert 2 == len([one for one in engine.bodies if one["max_tokens"] == SAME_TOKENS])


async def test_a_wish_that_was_kept_is_told_as_one(tmp_path: Path) -> None:
    """It is granted when the engine is awake, by the passing of time."""
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        await front.admin("/-/sleep")
        await front.until(State.ASLEEP)
        engine.hazards.wake_takes_s = 0.1
        await front.admin("/-/wake")
        await front.admin("/-/sleep")
        await until(lambda: front.gate.keeper.now.sleeps == 2)

        assert 2 * ["an admin wants it asleep"] == [
            line["why"] for line in front.events("state") if line["state"] == "falling asleep"
        ]


async def test_what_is_kept_is_written_by_one_at_a_time(tmp_path: Path) -> None:
    """A thread writes on when nobody waits for it any more."""

    class Slow(StateFile):
        writing, most = 0, 0

        def write(self, kept: Kept) -> None:
            self.writing += 1
            self.most = max(self.most, self.writing)
            time.sleep(0.05)
            super().write(kept)
            self.writing -= 1

    file = Slow(tmp_path / "state.json")
    async with fake_engine() as engine, gated(engine, tmp_path) as front:
        sleeping = front.gate.sleeping
        sleeping._file = file
        given_up = asyncio.create_task(sleeping.keep(Kept(sleeps=1)))
        await until(lambda: file.writing == 1)
        given_up.cancel()

        await asyncio.gather(*(sleeping.keep(Kept(sleeps=number)) for number in (2, 3)))

        assert (1, 3) == (file.most, file.read().sleeps)


async def test_who_lists_the_models_of_a_sleeping_engine_lets_it_sleep(tmp_path: Path) -> None:
    """Its front end answers that asleep too; the idle clock goes on."""
    async with fake_engine() as engine, gated(engine, tmp_path, policy=soon(0.3)) as front:
        await front.until(State.ASLEEP)
        before = front.gate.keeper.now
        status, text = await front.ask("/v1/models")

        assert 200 == status
        assert "data" in text
        assert (State.ASLEEP, before) == (front.state, front.gate.keeper.now)
