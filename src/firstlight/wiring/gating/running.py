"""
A gateway from its first moment to its last.

It ends when it is told to (SIGTERM, SIGINT). First it says that it is not ready and goes on as
before, since whoever sends requests here learns of that late; then it lets nothing new in; then it
waits for what is there, as long as it may; then it is gone. Told a second time, it waits for
nothing. What goes on beside all the time, the looks and the questions, ends with it; where one of
them breaks, that is a fault, and the whole ends with it rather than go on blind. One question to
the engine, and what is done now and then (`aside`), may break alone: that is said, and the door
stays open.
"""

import asyncio
import gc
import logging
import signal
import time
from collections.abc import Awaitable
from dataclasses import replace

from firstlight.edges.gate.descriptors import fitted
from firstlight.edges.gate.engine_calls import EngineCalls
from firstlight.edges.gate.engine_side import EngineSide
from firstlight.edges.gate.log_lines import AsLines, LogLines
from firstlight.edges.gate.log_tail import LogTail
from firstlight.edges.gate.metrics import Metrics
from firstlight.edges.gate.questions import Questions
from firstlight.edges.gate.server import GateServer
from firstlight.edges.gate.state_file import StateFile
from firstlight.edges.gate.token_file import TokenFile
from firstlight.gateway.happenings import DrainWanted, SleepRefused
from firstlight.gateway.states import State
from firstlight.wiring.gating.answering import Answering
from firstlight.wiring.gating.aside import Aside
from firstlight.wiring.gating.following import Following
from firstlight.wiring.gating.in_use import InUse
from firstlight.wiring.gating.keeper import Keeper
from firstlight.wiring.gating.looking import Looking
from firstlight.wiring.gating.own_routes import OwnRoutes
from firstlight.wiring.gating.priming import Prefix, Priming
from firstlight.wiring.gating.readiness import Verdict, ready
from firstlight.wiring.gating.settings import Settings
from firstlight.wiring.gating.sleeping import Sleeping

_ANSWERS_WITHIN_S = 1.0
"""Whoever waits for the drain is told of its end before the last connection is closed."""


class Gate:
    """One gateway, within one event loop."""

    def __init__(
        self, settings: Settings, prefixes: tuple[Prefix, ...], lines: LogLines | None = None
    ) -> None:
        """
        Args:
            settings: what it was told.
            prefixes: requests to ask again after a wake-up.
            lines: tell; None for standard error.
        """
        self.settings = settings
        self.lines = lines or LogLines()
        self.ending = asyncio.Event()
        self.hurried = asyncio.Event()
        self.metrics = Metrics(State)
        self.calls = EngineCalls(settings.engine, api_key=settings.api_key)
        self.engine_side = EngineSide(settings.engine)
        self.questions = Questions(self.calls)
        self.answering = Answering(
            calls=self.calls,
            questions=self.questions,
            monotonic_ns=time.monotonic_ns,
            every_s=settings.token_every_s,
            within_s=settings.token_within_s,
        )
        self.sleeping = Sleeping(
            calls=self.calls,
            questions=self.questions,
            file=StateFile(settings.state_file),
            level=settings.level,
            metrics=self.metrics,
            lines=self.lines,
            answered=self.answering.answered,
            slept=self._slept,
            wanted=lambda: self.keeper.now.wake_wanted,
        )
        self.telling = Aside("the question how deep the engine sleeps")
        self.priming = Priming(prefixes, calls=self.calls, metrics=self.metrics, lines=self.lines)
        self.following = Following(
            metrics=self.metrics,
            lines=self.lines,
            another=self._another,
            woken=self.priming.begin,
            asleep=self.priming.stop,
            suspicious=self._suspicious,
            found_asleep=self._found_asleep,
        )
        self.keeper = Keeper(
            policy=settings.policy,
            calls=self.sleeping,
            abandon=self.engine_side.abandon,
            wait_s=settings.wait_s,
            monotonic_ns=time.monotonic_ns,
            hear=self.following.hear,
        )
        self.looking = Looking(
            keeper=self.keeper,
            calls=self.calls,
            answering=self.answering,
            lines=self.lines,
            pace=settings.pace,
            monotonic_ns=time.monotonic_ns,
        )
        log = settings.engine_log
        self.in_use = InUse(
            LogTail(log) if log else None,
            sleeping=self.sleeping,
            metrics=self.metrics,
            lines=self.lines,
            refuse=lambda why: self.keeper.feed(SleepRefused(why=why)),
        )
        token = settings.admin_token_file
        self.server = GateServer(
            door=self.keeper,
            own=OwnRoutes(
                keeper=self.keeper,
                metrics=self.metrics,
                lines=self.lines,
                tokens=TokenFile(token) if token else None,
                ready=self.ready,
                has_looked=lambda: self.looking.last is not None,
                fixed_request_s=lambda: self.sleeping.fixed_request_s,
                ending=self.ending,
                monotonic_ns=time.monotonic_ns,
            ),
            engine=self.engine_side,
            witness=self.following,
            limits=settings.limits,
        )

    def ready(self) -> Verdict:
        """Whether requests should be sent here."""
        seen = self.looking.last
        return ready(
            self.keeper.now,
            self.answering,
            ending=self.ending.is_set(),
            last_seen=seen.words if seen else "it has not been looked at",
        )

    def end(self) -> None:
        """It is to end; told twice, at once."""
        (self.hurried if self.ending.is_set() else self.ending).set()

    async def run(self) -> None:
        """
        Until it is told to end, and is over.

        Raises:
            FirstlightError: it cannot listen.
        """
        self.sleeping.recall()
        self.in_use.pass_over()
        async with self.engine_side, self.calls:
            await self.server.start(self.settings.host, self.settings.port)
            self.lines.say(
                "listening",
                port=self.server.port,
                engine=self.settings.engine,
                admin=self.settings.admin_token_file is not None,
            )
            try:
                async with asyncio.TaskGroup() as group:
                    going = [
                        group.create_task(one)
                        for one in (
                            self.looking.keep_ticking(),
                            self.looking.keep_looking(),
                            self.answering.keep_asking(lambda: self.keeper.now),
                        )
                    ]
                    await self._until_over()
                    for task in going:
                        task.cancel()
            finally:
                await self._put_down()

    async def _until_over(self) -> None:
        await self.ending.wait()
        settings, now = self.settings, self.keeper.now
        self.lines.say("ending", in_flight=now.in_flight, waiting=now.waiting)
        await self._unless_hurried(asyncio.sleep(settings.drain_delay_s), settings.drain_delay_s)
        self.server.wind_down()
        self.keeper.feed(DrainWanted())
        await self._unless_hurried(self.keeper.drained(), settings.drain_s)
        self.keeper.refuse_waiting()
        await self.server.stop(_ANSWERS_WITHIN_S)
        now = self.keeper.now
        self.lines.say("ended", in_flight=now.in_flight, waiting=now.waiting)

    async def _unless_hurried(self, over: Awaitable[None], within_s: float) -> None:
        waits = [asyncio.ensure_future(over), asyncio.ensure_future(self.hurried.wait())]
        await asyncio.wait(waits, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        for one in waits:
            one.cancel()

    async def _put_down(self) -> None:
        self.priming.stop()
        self.looking.stop()
        self.in_use.stop()
        self.telling.stop()
        await self.keeper.close()

    def _another(self) -> None:
        self.in_use.stop()
        self.sleeping.forget()
        self.answering.forget()

    def _slept(self) -> None:
        self.in_use.begin()

    def _suspicious(self) -> None:
        self.looking.soon()

    def _found_asleep(self) -> None:
        self.telling.begin(self.sleeping.tell_of_depth())


def run(settings: Settings, prefixes: tuple[Prefix, ...] = ()) -> None:
    """
    Be a gateway, until told to end.

    Args:
        settings: what it was told.
        prefixes: requests to ask again after a wake-up.

    Raises:
        FirstlightError: it cannot listen.
    """
    asyncio.run(_run(settings, prefixes))


async def _run(settings: Settings, prefixes: tuple[Prefix, ...]) -> None:
    lines = LogLines()
    limits = fitted(settings.limits, lines.say)
    gate = Gate(replace(settings, limits=limits), prefixes, lines)
    logging.getLogger().addHandler(AsLines(gate.lines))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, gate.end)
    # What was imported stays for good; looked through at every full collection, it keeps all
    # streams waiting for some 20 ms.
    gc.collect()
    gc.freeze()
    await gate.run()
