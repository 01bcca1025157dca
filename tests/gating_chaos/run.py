"""
A run: one engine, one gateway before it, what starts them anew, and cycle after cycle.

Each kind of cycle brings about what it is called after, in the middle of its requests.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from tests.gating_chaos.asker import Askers
from tests.gating_chaos.book import Book, Entry, Touch
from tests.gating_chaos.engine import ChaosEngine
from tests.gating_chaos.gateway import DRAIN_S, SILENT_S, WAIT_S, WAKE_WITHIN_S
from tests.gating_chaos.kubelet import Kubelet
from tests.gating_chaos.plan import Cycle, Kind
from tests.gating_chaos.process import GateProcess
from tests.gating_chaos.wanted import Wanted

BOUND_S = WAIT_S + 2 * SILENT_S + 4.0
"""A request waits, is passed on, its engine falls silent and is given up; then some for a machine
that is busy."""
_SETTLES_WITHIN_S = 20.0
_WAKES_LATE_S = WAKE_WITHIN_S - 0.3


@dataclass(slots=True, kw_only=True)
class Run:
    """All that takes part."""

    engine: ChaosEngine
    gate: GateProcess
    kubelet: Kubelet
    book: Book
    drains: int = 0
    problems: list[str] = field(default_factory=list)
    """What is wrong beside what became of requests."""
    began_s: float = field(default_factory=time.monotonic)

    async def carry_out(self, cycle: Cycle) -> None:
        """
        One cycle, to the end of its last request.

        Args:
            cycle: whichever.
        """
        self.engine.spoils = {one.name: one.spoil for one in cycle.wanted if one.spoil}
        await self.until(lambda: self.engine.says_it_sleeps, "asleep")
        await _CARRIED_OUT[cycle.kind](self, cycle)
        # What a long run would gather.
        self.engine.asked.clear()
        self.engine.bodies.clear()

    async def until(self, true: Callable[[], bool], what: str) -> None:
        """
        Wait for something.

        Args:
            true: whether it is so.
            what: for people.
        """
        try:
            async with asyncio.timeout(_SETTLES_WITHIN_S):
                while not true():  # noqa: ASYNC110 - what is waited for is anything
                    await asyncio.sleep(0.005)
        except TimeoutError:
            raise AssertionError(f"it never was {what}: {await self.gate.state()}") from None

    async def settled(self) -> None:
        """Until requests are answered again, so that what touched them is over."""
        said: dict[str, object] = {}
        try:
            async with asyncio.timeout(_SETTLES_WITHIN_S):
                while True:
                    if self.engine.is_up and not self.engine.dead:
                        said = await self.gate.state()
                        if said["state"] in {"awake", "falling asleep", "asleep"}:
                            return
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"it is never well again: {said}") from None

    def asked(self, wanted: Iterable[Wanted]) -> "asyncio.Future[list[Entry]]":
        """Have requests asked, each at its time from now."""

        async def one(wanted: Wanted) -> Entry:
            await asyncio.sleep(wanted.after_s)
            return await self.book.ask(wanted)

        return asyncio.gather(*(one(each) for each in wanted))

    def told(self) -> str:
        """What happened, in figures."""
        entries, events = self.book.entries, self.gate.events()
        touched = {touch.value: sum(touch in one.touches for one in entries) for touch in Touch}
        untouched = sum(not one.touches and not one.wanted.leaving for one in entries)
        return (
            f"{len(entries)} requests in {time.monotonic() - self.began_s:.0f} s, "
            f"{events['slept']} sleeps, {events['woke']} wake-ups, {self.kubelet.restarts} "
            f"restarts of the engine, {self.drains} drains; untouched {untouched}, touched "
            f"{touched}; the longest took {max(one.took_s for one in entries):.2f} s; ends: "
            f"{dict(self.book.counted())}"
        )

    async def directly(self, target: str) -> None:
        """Somebody else steers the engine."""
        async with (
            aiohttp.ClientSession() as client,
            client.post(f"{self.engine.url}{target}") as reply,
        ):
            assert 200 == reply.status


async def _quiet(run: Run, cycle: Cycle) -> None:
    await run.asked(cycle.wanted)


async def _slow_wake(run: Run, cycle: Cycle) -> None:
    run.engine.hazards.wake_takes_s = cycle.chance.uniform(0.1, 0.8)
    await run.asked(cycle.wanted)
    run.engine.hazards.wake_takes_s = 0


async def _slow_sleep(run: Run, cycle: Cycle) -> None:
    first, second = _halves(cycle)
    await run.asked(first)
    run.engine.hazards.sleep_takes_s = cycle.chance.uniform(0.1, 0.6)
    await run.until(lambda: run.engine.paused, "falling asleep")
    await run.asked(second)
    run.engine.hazards.sleep_takes_s = 0


async def _failed_sleep(run: Run, cycle: Cycle) -> None:
    first, second = _halves(cycle)
    await run.asked(first)
    failed = run.engine.failed_sleeps
    run.engine.sleeps_to_fail = 1
    # It may have fallen asleep meanwhile; then some wake it, and it fails after that.
    asked = run.asked(second)
    await asked
    await run.until(lambda: run.engine.failed_sleeps > failed, "failing to fall asleep")


async def _sleep_by_others(run: Run, cycle: Cycle) -> None:
    first, second = _halves(cycle)
    await run.asked(first)
    await run.directly(f"/sleep?level={cycle.chance.choice((1, 2))}&mode=wait")
    await run.asked(second)


async def _nobody_left(run: Run, cycle: Cycle) -> None:
    run.engine.hazards.wake_takes_s = 0.3
    await run.asked(one for one in cycle.wanted if one.leaving)
    await run.asked(one for one in cycle.wanted if not one.leaving)
    run.engine.hazards.wake_takes_s = 0


async def _sleep_ordered(run: Run, cycle: Cycle) -> None:
    asked = run.asked(cycle.wanted)
    for _ in range(5):
        await asyncio.sleep(cycle.chance.uniform(0, 0.2))
        await run.gate.ask(cycle.chance.choice(("/-/sleep", "/-/sleep", "/-/wake")), "POST")
    await asked


async def _wake_by_others(run: Run, cycle: Cycle) -> None:
    async with _touched(run, Touch.ENGINE):
        asked = run.asked(cycle.wanted)
        await run.directly("/wake_up")
        await asked


async def _crowd(run: Run, cycle: Cycle) -> None:
    async with _touched(run, Touch.CROWD):
        run.engine.hazards.wake_takes_s = 1.0
        await run.asked(cycle.wanted)
        run.engine.hazards.wake_takes_s = 0


async def _wake_goes_wrong(run: Run, cycle: Cycle) -> None:
    async with _touched(run, Touch.ENGINE):
        hazards = run.engine.hazards
        hazards.wake_kills = cycle.kind is Kind.WAKE_KILLS
        hazards.wake_hangs = cycle.kind is Kind.WAKE_HANGS
        hazards.weights_lost = cycle.kind is Kind.NONSENSE
        run.engine.mute_after_wake = cycle.kind is Kind.MUTE
        await run.asked(cycle.wanted)


async def _wake_late(run: Run, cycle: Cycle) -> None:
    first, second = _halves(cycle)
    await run.asked(first)
    hazards = run.engine.hazards
    hazards.sleep_takes_s = hazards.wake_takes_s = _WAKES_LATE_S
    await run.until(lambda: run.engine.paused, "falling asleep")
    async with _touched(run, Touch.ENGINE):
        await run.asked(second)
        hazards.sleep_takes_s = hazards.wake_takes_s = 0


async def _sleep_hangs(run: Run, cycle: Cycle) -> None:
    first, second = _halves(cycle)
    asked = run.asked(first)
    await run.until(lambda: not run.engine.says_it_sleeps, "awake")
    run.engine.hazards.sleep_hangs = True
    await run.until(lambda: run.engine.paused, "falling asleep")
    async with _touched(run, Touch.ENGINE):
        await run.asked(second)
        await asked


async def _killed_awake(run: Run, cycle: Cycle) -> None:
    await _amid(run, cycle, run.engine.kill)


async def _killed_asleep(run: Run, cycle: Cycle) -> None:
    async with _touched(run, Touch.ENGINE):
        run.kubelet.boots_s = cycle.chance.uniform(0.05, 0.6)
        await run.engine.kill()
        await run.asked(cycle.wanted)
        run.kubelet.boots_s = 0.5


async def _killed_waking(run: Run, cycle: Cycle) -> None:
    async with _touched(run, Touch.ENGINE):
        run.engine.hazards.wake_takes_s = 0.5
        asked = run.asked(cycle.wanted)
        await asyncio.sleep(cycle.chance.uniform(0.1, 0.6))
        await run.engine.kill()
        await asked


async def _core_dies(run: Run, cycle: Cycle) -> None:
    async def die() -> None:
        run.engine.die()

    await _amid(run, cycle, die)


async def _core_hangs(run: Run, cycle: Cycle) -> None:
    async def hang() -> None:
        run.engine.hazards.core_silent = True

    await _amid(run, cycle, hang)


async def _core_pauses(run: Run, cycle: Cycle) -> None:
    async def pause() -> None:
        run.kubelet.looks = False
        run.engine.hazards.core_silent = True
        await asyncio.sleep(cycle.chance.uniform(0.5, 2 * SILENT_S))
        run.engine.hazards.core_silent = False

    await _amid(run, cycle, pause)
    run.kubelet.looks = True


async def _amid(run: Run, cycle: Cycle, fault: Callable[[], object]) -> None:
    """A fault while it works."""
    asked = run.asked(cycle.wanted)
    await run.until(lambda: sum(run.engine.working_on.values()) > 3, "at work")
    await asyncio.sleep(cycle.chance.uniform(0, 0.1))
    async with _touched(run, Touch.ENGINE):
        await fault()  # type: ignore[misc]
        await asked


async def _drain_awake(run: Run, cycle: Cycle) -> None:
    asked = run.asked(cycle.wanted)
    await run.until(lambda: sum(run.engine.working_on.values()) > 3, "at work")
    await _drained(run, cycle)
    await asked


async def _drain_asleep(run: Run, cycle: Cycle) -> None:
    run.engine.hazards.wake_takes_s = 0.8
    asked = run.asked(cycle.wanted)
    await asyncio.sleep(cycle.chance.uniform(0.05, 0.3))
    await _drained(run, cycle)
    await asked


async def _drain_falling(run: Run, cycle: Cycle) -> None:
    first, second = _halves(cycle)
    await run.asked(first)
    run.engine.hazards.sleep_takes_s = cycle.chance.uniform(0.3, 1.5)
    await run.until(lambda: run.engine.paused, "falling asleep")
    asked = run.asked(second)
    await asyncio.sleep(cycle.chance.uniform(0.0, 0.3))
    await _drained(run, cycle)
    await asked


async def _drained(run: Run, cycle: Cycle) -> None:
    """The gateway is told to end, as with its pod, and another one takes its place."""
    run.kubelet.looks = False
    drained = asyncio.create_task(run.gate.status("/-/drained"))
    await asyncio.sleep(0.02)
    async with _touched(run, Touch.DRAIN, spares_who_is_there=True):
        run.gate.terminate()
        if await drained != 200:
            run.problems.append("whoever waited for the drain was not told of its end")
        await asyncio.sleep(0.1)
        if left := [name for name in +run.engine.working_on if name != "Hello"]:
            run.problems.append(f"drained, and the engine still worked on {left}")
        if code := await run.gate.ended(DRAIN_S + 10):
            run.problems.append(f"told to end, it exited with {code}")
        run.drains += 1
        run.book.askers.forget()
        await run.gate.start(level=cycle.chance.choice((1, 2)))
        run.engine.hazards.sleep_takes_s = run.engine.hazards.wake_takes_s = 0
    run.kubelet.looks = True


@asynccontextmanager
async def _touched(
    run: Run, touch: Touch, *, spares_who_is_there: bool = False
) -> AsyncIterator[None]:
    run.book.begin(touch, spares_who_is_there=spares_who_is_there)
    yield
    await run.settled()
    run.book.end(touch)


def _halves(cycle: Cycle) -> tuple[tuple[Wanted, ...], tuple[Wanted, ...]]:
    middle = len(cycle.wanted) // 2
    return cycle.wanted[:middle], cycle.wanted[middle:]


_CARRIED_OUT = {
    Kind.QUIET: _quiet,
    Kind.SLOW_WAKE: _slow_wake,
    Kind.SLOW_SLEEP: _slow_sleep,
    Kind.FAILED_SLEEP: _failed_sleep,
    Kind.SLEEP_BY_OTHERS: _sleep_by_others,
    Kind.NOBODY_LEFT: _nobody_left,
    Kind.SLEEP_ORDERED: _sleep_ordered,
    Kind.SPOILED: _quiet,
    Kind.WAKE_BY_OTHERS: _wake_by_others,
    Kind.CROWD: _crowd,
    Kind.WAKE_KILLS: _wake_goes_wrong,
    Kind.WAKE_HANGS: _wake_goes_wrong,
    Kind.WAKE_LATE: _wake_late,
    Kind.NONSENSE: _wake_goes_wrong,
    Kind.MUTE: _wake_goes_wrong,
    Kind.SLEEP_HANGS: _sleep_hangs,
    Kind.KILLED_AWAKE: _killed_awake,
    Kind.KILLED_ASLEEP: _killed_asleep,
    Kind.KILLED_WAKING: _killed_waking,
    Kind.CORE_DIES: _core_dies,
    Kind.CORE_HANGS: _core_hangs,
    Kind.CORE_PAUSES: _core_pauses,
    Kind.DRAIN_AWAKE: _drain_awake,
    Kind.DRAIN_ASLEEP: _drain_asleep,
    Kind.DRAIN_FALLING: _drain_falling,
}


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Run]:
    """
    An engine and a gateway that are up.

    Args:
        folder: for files.
    """
    engine = ChaosEngine()
    await engine.start()
    gate = GateProcess(engine.url, folder)
    kubelet = Kubelet(engine, gate)
    book = Book(askers=Askers(gate.port, bound_s=BOUND_S))
    looking: asyncio.Task[None] | None = None
    try:
        await gate.start(level=1)
        looking = asyncio.create_task(kubelet.keep_looking())
        yield Run(engine=engine, gate=gate, kubelet=kubelet, book=book)
        if looking.done():
            looking.result()
    finally:
        if looking is not None:
            looking.cancel()
        book.askers.forget()
        await gate.close()
        await engine.kill()
