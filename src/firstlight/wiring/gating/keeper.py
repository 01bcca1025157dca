"""
Whoever keeps the door: the one place that knows where the engine is, and the only one to change it.

Whatever happens is told here, by `feed`, and is over when that returns: the next state is there
and what follows from it is on its way. Nothing is awaited in between, so there is no lock and no
order of things but the one in which they were told. What takes time, the calls to the engine, runs
beside it and is told of when it ends; what was given up is not told of any more.

A request that waits is one future. All are released in the order in which they came; one whose
client goes, or whose time is up, leaves the queue. Each is released, refused or gone, and once.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from firstlight.edges.gate.door import Refusal
from firstlight.gateway.happenings import (
    Came,
    Ended,
    Happening,
    Left,
    Slept,
    TurnedBack,
    Verified,
    Woke,
)
from firstlight.gateway.lifecycle import Lifecycle, step
from firstlight.gateway.orders import (
    AbandonAll,
    GiveUp,
    Order,
    Pass,
    PutToSleep,
    Refuse,
    RefuseAll,
    ReleaseAll,
    Verify,
    WakeUp,
    Why,
)
from firstlight.gateway.policy import Policy

_WORDS = {
    Why.STARTING: ("the engine is starting", 10),
    Why.FAILED: ("the engine failed, and is not back yet", 30),
    Why.FULL: ("as many requests wait for the engine to wake up as may wait", 5),
    Why.WAITED: ("the engine did not wake up in the time that a request may wait", 10),
    Why.DRAINING: ("this gateway is about to end", 1),
}
"""What a client is told, and when to come again."""


class Calls(Protocol):
    """What is done to the engine; each call ends with what came of it, however it went."""

    async def put_to_sleep(self) -> Slept | TurnedBack: ...
    async def wake_up(self) -> Woke: ...
    async def verify(self) -> Verified: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One happening, and what is otherwise since."""

    happening: Happening
    before: Lifecycle
    after: Lifecycle


@dataclass(slots=True, kw_only=True, eq=False)
class _Waiting:
    answer: asyncio.Future[Refusal | None]
    body_bytes: int
    is_in: bool = False
    """Whether it was let in, though its client may be gone before it notices."""


class Keeper:
    """Of one door; used from one event loop."""

    def __init__(
        self,
        *,
        policy: Policy,
        calls: Calls,
        abandon: Callable[[], None],
        wait_s: float,
        monotonic_ns: Callable[[], int],
        hear: Callable[[Change], None],
    ) -> None:
        """
        Args:
            policy: when the engine sleeps, and how much may wait.
            calls: carries out what is to be done to the engine.
            abandon: breaks off every exchange with the engine.
            wait_s: so long one request waits at most.
            monotonic_ns: what time it is.
            hear: is told of everything; it must return at once, and feed nothing.
        """
        self._policy = policy
        self._calls = calls
        self._abandon = abandon
        self._wait_s = wait_s
        self._monotonic_ns = monotonic_ns
        self._hear = hear
        self._now = Lifecycle(since_ns=monotonic_ns())
        self._line: dict[_Waiting, None] = {}
        """Who waits, in order; a dictionary, so that one in the middle can go."""
        self._calling: asyncio.Task[None] | None = None
        self._drained = asyncio.Event()

    @property
    def now(self) -> Lifecycle:
        """Where the engine is."""
        return self._now

    def feed(self, happening: Happening) -> None:
        """
        Tell of something, and have it followed.

        Args:
            happening: what it was.
        """
        self._step(happening)

    async def enter(self, body_bytes: int) -> Refusal | None:
        """
        Wait until a request may go to the engine; None when it may, and `leave` must follow.

        Args:
            body_bytes: what is kept of it while it waits.
        """
        verdict = self._step(Came(body_bytes=body_bytes))[0]
        if isinstance(verdict, Pass):
            return None
        if isinstance(verdict, Refuse):
            return _refusal(verdict.why)
        loop = asyncio.get_running_loop()
        one = _Waiting(answer=loop.create_future(), body_bytes=body_bytes)
        self._line[one] = None
        alarm = loop.call_later(self._wait_s, self._waited, one)
        try:
            return await one.answer
        except asyncio.CancelledError:
            if one in self._line:
                self._leaves_line(one)
            elif one.is_in:
                self.leave()
            raise
        finally:
            alarm.cancel()

    def leave(self) -> None:
        """A request that went in is over."""
        self._step(Ended())

    def refuse_waiting(self) -> None:
        """It is about to be over: whoever still waits is told so."""
        for one in tuple(self._line):
            self._leaves_line(one)
            if not one.answer.done():
                one.answer.set_result(_refusal(Why.DRAINING))

    async def drained(self) -> None:
        """Wait until nothing new comes and nothing is left."""
        await self._drained.wait()

    async def close(self) -> None:
        """Wait for no call any more."""
        calling, self._calling = self._calling, None
        if calling is not None:
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)

    def _step(self, happening: Happening) -> tuple[Order, ...]:
        before = self._now
        self._now, orders = step(before, happening, self._policy, self._monotonic_ns())
        for order in orders:
            self._carry_out(order)
        if self._now.is_drained:
            self._drained.set()
        self._hear(Change(happening=happening, before=before, after=self._now))
        return orders

    def _carry_out(self, order: Order) -> None:
        match order:
            case ReleaseAll():
                self._answer_line(None)
            case RefuseAll(why=why):
                self._answer_line(_refusal(why))
            case AbandonAll():
                self._abandon()
            case PutToSleep():
                self._call(self._calls.put_to_sleep, lambda why: Slept(problem=why))
            case WakeUp():
                self._call(self._calls.wake_up, lambda why: Woke(problem=why))
            case Verify():
                self._call(self._calls.verify, lambda why: Verified(problem=why))
            case GiveUp():
                if self._calling is not None:
                    self._calling.cancel()
                self._calling = None
            case _:
                # What becomes of the one request that came is for whoever came with it.
                pass

    def _call(
        self, call: Callable[[], Awaitable[Happening]], broke: Callable[[str], Happening]
    ) -> None:
        async def called() -> None:
            try:
                ended = await call()
            except Exception as fault:  # noqa: BLE001 - whatever it is, somebody waits for an end
                ended = broke(f"a fault of the gateway: {type(fault).__name__}: {fault}")
            if self._calling is asyncio.current_task():
                self._calling = None
                self._step(ended)

        self._calling = asyncio.create_task(called())

    def _answer_line(self, answer: Refusal | None) -> None:
        line, self._line = self._line, {}
        for one in line:
            one.is_in = answer is None
            if not one.answer.done():
                one.answer.set_result(answer)

    def _waited(self, one: _Waiting) -> None:
        if one in self._line:
            self._leaves_line(one)
            if not one.answer.done():
                one.answer.set_result(_refusal(Why.WAITED))

    def _leaves_line(self, one: _Waiting) -> None:
        del self._line[one]
        self._step(Left(body_bytes=one.body_bytes))


def _refusal(why: Why) -> Refusal:
    words, again_s = _WORDS[why]
    return Refusal(why=why, words=words, retry_after_s=again_s)
