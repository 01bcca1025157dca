"""One writer, one queue, and counts that are exact whoever goes when."""

import asyncio
import random
from contextlib import suppress

import pytest

from firstlight.core.units import NS_PER_S
from firstlight.gateway.happenings import (
    DrainWanted,
    Happening,
    Seen,
    Sight,
    SleepWanted,
    Slept,
    Ticked,
    Verified,
    WakeWanted,
    Woke,
)
from firstlight.gateway.orders import Why
from firstlight.gateway.policy import Policy
from firstlight.gateway.states import Lifecycle, State
from firstlight.wiring.gating.keeper import Change, Keeper


class Calls:
    """Calls that end when they are told to, and with what."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.given_up: list[str] = []
        self._ends: dict[str, asyncio.Future[object]] = {}

    def end(self, call: str, what: object = None) -> None:
        self._ends.pop(call).set_result(what)

    async def put_to_sleep(self) -> Slept:
        return Slept(problem=await self._called("sleep"))

    async def wake_up(self) -> Woke:
        return Woke(problem=await self._called("wake"))

    async def verify(self) -> Verified:
        return Verified(problem=await self._called("verify"))

    async def _called(self, call: str) -> str | None:
        self.begun.append(call)
        self._ends[call] = asyncio.get_running_loop().create_future()
        try:
            found = await self._ends[call]
        except asyncio.CancelledError:
            self.given_up.append(call)
            raise
        if isinstance(found, Exception):
            raise found
        assert found is None or isinstance(found, str)
        return found


class Kept:
    """A keeper on a clock of the test's."""

    def __init__(self, *, wait_s: float = 60, most_waiting: int = 1000) -> None:
        self.at_s = 1
        self.calls = Calls()
        self.abandoned = 0
        self.heard: list[Change] = []
        self.keeper = Keeper(
            policy=Policy(idle_ns=None, min_awake_ns=0, most_waiting=most_waiting),
            calls=self.calls,
            abandon=self._abandon,
            wait_s=wait_s,
            monotonic_ns=lambda: self.at_s * NS_PER_S,
            hear=self.heard.append,
        )

    @property
    def now(self) -> Lifecycle:
        return self.keeper.now

    def see(self, sight: Sight) -> None:
        self.keeper.feed(Seen(sight=sight, begun_ns=self.at_s * NS_PER_S))

    async def asleep(self) -> None:
        self.see(Sight.AWAKE)
        self.keeper.feed(SleepWanted())
        await turn()
        self.calls.end("sleep")
        await turn()
        assert self.now.state is State.ASLEEP

    async def woken(self) -> None:
        await turn()
        self.calls.end("wake")
        await turn()
        self.calls.end("verify")
        await turn()

    def _abandon(self) -> None:
        self.abandoned += 1


async def turn() -> None:
    """Everybody who can go on has gone on."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_who_waits_is_let_in_in_order_after_one_wake_up() -> None:
    """Whoever left in between is not."""
    kept = Kept()
    await kept.asleep()
    tasks = [asyncio.create_task(kept.keeper.enter(10)) for _ in range(5)]
    await turn()
    tasks[1].cancel()
    await turn()
    assert (4, 40) == (kept.now.waiting, kept.now.waiting_bytes)

    await kept.woken()

    assert ["sleep", "wake", "verify"] == kept.calls.begun
    assert 4 * [None] == [task.result() for task in tasks if not task.cancelled()]
    assert (4, 0, 0) == (kept.now.in_flight, kept.now.waiting, kept.now.waiting_bytes)


async def test_one_that_is_let_in_and_gone_at_once_is_no_longer_in() -> None:
    """Its client goes between its release and its next step, on either side of it."""
    kept = Kept()
    await kept.asleep()
    before, after = (asyncio.create_task(kept.keeper.enter(0)) for _ in range(2))
    await turn()
    kept.calls.end("wake")
    await turn()

    # The one is cancelled and has not noticed when all are let in, the other just after that.
    before.cancel()
    kept.keeper.feed(Verified())
    after.cancel()
    assert 2 == kept.now.in_flight
    await turn()

    assert before.cancelled()
    assert after.cancelled()
    assert (0, 0) == (kept.now.in_flight, kept.now.waiting)


async def test_a_call_that_was_given_up_is_not_heard_of() -> None:
    """The engine is gone; what its wake-up came to is nobody's."""
    kept = Kept()
    await kept.asleep()
    task = asyncio.create_task(kept.keeper.enter(0))
    await turn()

    kept.see(Sight.ABSENT)
    kept.see(Sight.AWAKE)
    await turn()

    refusal = task.result()
    assert refusal is not None
    assert Why.STARTING is refusal.why
    assert ["wake"] == kept.calls.given_up
    assert State.AWAKE is kept.now.state
    assert not [one for one in kept.heard if isinstance(one.happening, Woke)]


async def test_a_wake_up_in_time_is_followed_and_one_out_of_time_is_not() -> None:
    """All who wait are refused, and each hears when to come again."""
    kept = Kept()
    await kept.asleep()
    tasks = [asyncio.create_task(kept.keeper.enter(0)) for _ in range(3)]
    await turn()
    kept.at_s += 1000
    kept.keeper.feed(Ticked())
    await turn()

    assert State.FAILED is kept.now.state
    assert 3 * [(Why.FAILED, 30)] == [
        (refusal.why, refusal.retry_after_s) for task in tasks if (refusal := task.result())
    ]
    assert ["wake"] == kept.calls.given_up


async def test_a_fault_in_a_call_is_the_end_of_that_call() -> None:
    """Nobody waits for ever over a fault of ours."""
    kept = Kept()
    await kept.asleep()
    task = asyncio.create_task(kept.keeper.enter(0))
    await turn()

    kept.calls.end("wake", KeyError("x"))
    await turn()

    assert State.FAILED is kept.now.state
    assert "the wake-up failed: a fault of the gateway: KeyError: 'x'" == kept.now.failure
    assert task.done()


async def test_a_queue_that_is_full_turns_away() -> None:
    """And wakes the engine all the same."""
    kept = Kept(most_waiting=1)
    await kept.asleep()
    first = asyncio.create_task(kept.keeper.enter(0))
    await turn()

    refusal = await kept.keeper.enter(0)

    assert refusal is not None
    assert Why.FULL is refusal.why
    await kept.woken()
    assert first.result() is None


async def test_a_gateway_that_drains_is_drained_when_the_last_has_left() -> None:
    """Not before."""
    kept = Kept()
    kept.see(Sight.AWAKE)
    assert await kept.keeper.enter(0) is None
    kept.keeper.feed(DrainWanted())
    waiting = asyncio.create_task(kept.keeper.drained())
    await turn()
    assert not waiting.done()

    kept.keeper.leave()
    await turn()

    assert waiting.done()
    refusal = await kept.keeper.enter(0)
    assert refusal is not None
    assert Why.DRAINING is refusal.why


async def test_who_still_waits_at_the_end_is_told_so() -> None:
    kept = Kept()
    await kept.asleep()
    waiting = [asyncio.create_task(kept.keeper.enter(10)) for _ in range(2)]
    await turn()
    kept.keeper.feed(DrainWanted())

    kept.keeper.refuse_waiting()
    refusals = await asyncio.gather(*waiting)

    assert [Why.DRAINING] * 2 == [refusal and refusal.why for refusal in refusals]
    assert (0, 0) == (kept.now.waiting, kept.now.waiting_bytes)
    await kept.woken()
    assert 0 == kept.now.in_flight


@pytest.mark.parametrize("seed", range(20))
async def test_counts_are_exact_whoever_goes_when(seed: int) -> None:
    """Clients come, go and end at random, while the engine sleeps, wakes, fails and returns."""
    dice = random.Random(seed)  # noqa: S311
    kept = Kept(wait_s=0.01 if seed % 2 else 60, most_waiting=8)
    in_now, passed, refused, cancelled = 0, 0, 0, 0

    async def client() -> None:
        nonlocal in_now, passed, refused
        if await kept.keeper.enter(7) is not None:
            refused += 1
            return
        passed, in_now = passed + 1, in_now + 1
        try:
            for _ in range(dice.randrange(6)):
                await asyncio.sleep(0)
        finally:
            in_now -= 1
            kept.keeper.leave()

    def engine() -> None:
        for call in ("sleep", "wake", "verify"):
            if dice.random() < 0.3:
                with suppress(KeyError, asyncio.InvalidStateError):
                    kept.calls.end(call, "no" if dice.random() < 0.2 else None)
        if dice.random() < 0.2:
            wants: list[Happening] = [SleepWanted(), WakeWanted(), Ticked()]
            kept.keeper.feed(dice.choice(wants))
        if dice.random() < 0.3:
            kept.see(dice.choice([Sight.AWAKE, Sight.AWAKE, Sight.AWAKE, Sight.ABSENT]))

    tasks: list[asyncio.Task[None]] = []
    for _ in range(400):
        tasks += [asyncio.create_task(client()) for _ in range(dice.randrange(3))]
        if tasks and dice.random() < 0.4:
            cancelled += dice.choice(tasks).cancel()
        engine()
        if dice.random() < 0.5:
            await asyncio.sleep(0)
        assert kept.now.in_flight >= in_now
        assert 7 * kept.now.waiting == kept.now.waiting_bytes
    kept.see(Sight.ABSENT)
    ended = await asyncio.gather(*tasks, return_exceptions=True)

    assert {type(one) for one in ended} <= {type(None), asyncio.CancelledError}
    assert (0, 0, 0) == (kept.now.in_flight, kept.now.waiting, kept.now.waiting_bytes)
    assert passed
    assert refused
    assert cancelled
    await kept.keeper.close()
