"""
How an engine is put to sleep, woken, and held against what it was: the calls in their order.

Before its first sleep it is asked one question twice; after each wake-up once more. How deep it
sleeps is kept with that, in a file if there is one, since who wakes it may be another gateway
than the one that put it to sleep. What the engine itself says of its depth counts more: it may
have been put to sleep by somebody else.

Whatever goes wrong is the end of a call, in words, and never an exception: it is told to whoever
decides. A sleep that failed is told with what the engine says of itself then, because it may say
that it sleeps and keep every request that comes.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from firstlight.edges.gate.engine_calls import CallFailed, EngineCalls
from firstlight.edges.gate.engine_numbers import DISCARDS
from firstlight.edges.gate.log_lines import LogLines
from firstlight.edges.gate.metrics import Metrics
from firstlight.edges.gate.questions import WITHOUT_TEXT, KeyWanted, Kind, Questions, Said
from firstlight.edges.gate.state_file import Before, Kept, StateFile
from firstlight.gateway.happenings import Slept, TurnedBack, Verified, Woke
from firstlight.gateway.sanity import Held, Reference, tokens_held, vectors_held

_ASK_AFTER_FAILURE_S = 5.0
_ASK_NUMBERS_S = 2.0


class Sleeping:
    """The sleeps of one engine after another."""

    def __init__(
        self,
        *,
        calls: EngineCalls,
        questions: Questions,
        file: StateFile,
        level: int,
        metrics: Metrics,
        lines: LogLines,
        answered: Callable[[], None],
        slept: Callable[[], None],
        wanted: Callable[[], bool],
    ) -> None:
        """
        Args:
            calls: to the engine.
            questions: to the engine.
            file: keeps what has to be known later.
            level: to sleep on.
            metrics: count.
            lines: tell.
            answered: is told that tokens came.
            slept: is told that it sleeps.
            wanted: whether somebody wants it awake after all.
        """
        self._calls = calls
        self._questions = questions
        self._file = file
        self._level = level
        self._metrics = metrics
        self._lines = lines
        self._answered = answered
        self._slept = slept
        self._wanted = wanted
        self._kept = Kept()
        self._writing = asyncio.Lock()
        self._took_after_s: float | None = None

    @property
    def fixed_request_s(self) -> dict[str, float | None]:
        """What the one question took, before the first sleep and after the last wake-up."""
        return {"before": self._took_before_s, "after": self._took_after_s}

    @property
    def _took_before_s(self) -> float | None:
        """None also where there is nothing that it can be asked."""
        before = self._kept.before
        return before.twice.took_s if before and before.twice.kind is not Kind.NOTHING else None

    @property
    def kept(self) -> Kept:
        """What is known of this engine's sleeps."""
        return self._kept

    def recall(self) -> None:
        """Take up what another gateway kept of an engine that sleeps."""
        self._kept = self._file.read()
        self._tell_of_file()

    async def keep(self, kept: Kept) -> None:
        """
        Have it known later.

        Args:
            kept: all that is known.
        """
        self._kept = kept
        # A thread writes on though nobody waits for it any more, so the next has to.
        await asyncio.shield(self._write())

    def forget(self) -> None:
        """Another engine takes the place of this one."""
        self._kept, self._took_after_s = Kept(), None
        self._questions.forget()

    async def tell_of_depth(self) -> None:
        """Of an engine that was found asleep: whether it is known how it has to be woken."""
        if self._level < DISCARDS and await self._told_depth() is None:
            self._lines.say(
                "depth_unknown",
                words="it sleeps, and neither its metrics nor a state file say on which level; it "
                f"will be woken as from level {self._level}, and answers nonsense then if it "
                f"sleeps on {DISCARDS}",
            )

    async def put_to_sleep(self) -> Slept | TurnedBack:
        """Ask what it says, the first time, and have it sleep."""
        try:
            kept = await self._with_before()
            if self._wanted():
                await self.keep(kept)
                return TurnedBack()
            await self.keep(replace(kept, level=self._level))
            began_s = time.monotonic()
            await self._calls.sleep(self._level)
        except CallFailed as failed:
            self._metrics.failed("sleep")
            return Slept(problem=str(failed), still_asleep=await self._says_that_it_sleeps())
        took_s, first = time.monotonic() - began_s, self._kept.sleeps == 0
        self._metrics.slept(took_s, first=first)
        self._lines.say("slept", seconds=round(took_s, 3), level=self._level, first=first or None)
        await self.keep(replace(self._kept, sleeps=self._kept.sleeps + 1))
        self._slept()
        return Slept()

    async def wake_up(self) -> Woke:
        """Have it awake, in the order that the depth of its sleep asks for."""
        began_s = time.monotonic()
        level = await self._told_depth() or self._level
        try:
            await self._calls.wake_up(level)
        except CallFailed as failed:
            self._metrics.failed("wake")
            return Woke(problem=str(failed))
        took_s = time.monotonic() - began_s
        self._metrics.woke(took_s)
        self._lines.say("woke", seconds=round(took_s, 3), level=level)
        return Woke()

    async def verify(self) -> Verified:
        """Hold what it says now against what it said before."""
        before = self._kept.before
        try:
            said = await self._questions.ask()
            if before is not None and before.model != await self._questions.model():
                before = None
        except KeyWanted as wanted:
            # Clients have the key, and may find it well.
            self._lines.say("verified", says=f"nothing is known: {wanted}")
            return Verified()
        except CallFailed as failed:
            self._metrics.failed("verify")
            return Verified(problem=f"it did not answer after the wake-up: {failed}")
        held = _held(before, said)
        if held.problem is not None:
            self._metrics.failed("verify")
            return Verified(problem=held.problem)
        if said.kind is not Kind.NOTHING:
            self._answered()
            self._took_after_s = said.took_s
            self._metrics.fixed_request("after", said.took_s)
        self._lines.say(
            "verified",
            agreement=held.agreement,
            says=held.says,
            seconds=round(said.took_s, 4),
            seconds_before=round(before.twice.took_s, 4) if before else None,
        )
        return Verified()

    async def _write(self) -> None:
        async with self._writing:
            # A disk may take its time, and nobody else is to wait for it. What is known by then is
            # written, so that the last one to write never writes what was before.
            await asyncio.to_thread(self._file.write, self._kept)
        self._tell_of_file()

    async def _with_before(self) -> Kept:
        """With what it says awake, where that is not known yet."""
        if self._kept.before is not None:
            return self._kept
        once, twice = await self._questions.ask(), await self._questions.ask()
        if twice.kind is not Kind.NOTHING:
            self._metrics.fixed_request("before", twice.took_s)
        model = await self._questions.model()
        return replace(self._kept, before=Before(model=model, once=once, twice=twice))

    async def _told_depth(self) -> int | None:
        said = None
        with suppress(TimeoutError):
            async with asyncio.timeout(_ASK_NUMBERS_S):
                said = (await self._calls.numbers()).level
        return said or self._kept.level

    async def _says_that_it_sleeps(self) -> bool:
        try:
            async with asyncio.timeout(_ASK_AFTER_FAILURE_S):
                return await self._calls.is_sleeping()
        except (CallFailed, TimeoutError):
            return False

    def _tell_of_file(self) -> None:
        if self._file.problem is not None:
            self._lines.say_seldom("state_file", "state_file", problem=self._file.problem)


def _held(before: Before | None, said: Said) -> Held:
    if said.kind is Kind.NOTHING:
        return Held(says="it can be asked nothing, so only that it says that it is awake is known")
    known = before if before is not None and before.once.kind is said.kind else None
    if said.kind is Kind.VECTOR:
        return vectors_held(known.once.vector if known else None, said.vector)
    if known is None or known.once.tokens == WITHOUT_TEXT:
        return tokens_held(None, said.tokens)
    return tokens_held(Reference(once=known.once.tokens, twice=known.twice.tokens), said.tokens)
