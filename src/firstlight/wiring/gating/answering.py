"""
Whether the engine has answered lately: what readiness is about.

An engine can be healthy and generate nothing. What shows that it does is a token, whoever asked
for it. Its own count of tokens tells that, with no request of ours; where that stands still, or
there is none, it is asked for one token. A request of ours is no demand: it touches no clock by
which an engine falls asleep, and is only made while the engine is awake.
"""

import asyncio
from collections.abc import Callable

from firstlight.core.units import NS_PER_S
from firstlight.edges.gate.engine_calls import CallFailed, EngineCalls
from firstlight.edges.gate.questions import KeyWanted, Kind, Questions
from firstlight.gateway.states import Lifecycle, State

_LOOK_EVERY_S = 0.1
_NUMBERS_WITHIN_S = 5.0


class Answering:
    """Of one engine after another."""

    def __init__(
        self,
        *,
        calls: EngineCalls,
        questions: Questions,
        monotonic_ns: Callable[[], int],
        every_s: float,
        within_s: float,
    ) -> None:
        """
        Args:
            calls: to the engine.
            questions: to the engine.
            monotonic_ns: what time it is.
            every_s: so often it has to have answered.
            within_s: so long is waited for a token of ours.
        """
        self._calls = calls
        self._questions = questions
        self._monotonic_ns = monotonic_ns
        self._every_s = every_s
        self._within_s = within_s
        self._last_ns: int | None = None
        self._tokens: float | None = None
        self.problem: str | None = None
        """Why no token came the last time; None where one did, or none was asked for."""

    @property
    def has_answered(self) -> bool:
        """Whether this engine ever has."""
        return self._last_ns is not None

    @property
    def is_lately(self) -> bool:
        """Whether a token came lately, or the engine is one that gives none."""
        if self._questions.kind is Kind.NOTHING:
            return True
        if self._last_ns is None or self.problem is not None:
            return False
        late_ns = (2 * self._every_s + self._within_s) * NS_PER_S
        return self._monotonic_ns() - self._last_ns < late_ns

    def answered(self) -> None:
        """A token came to somebody else of us."""
        # It is among those that will be counted, and is not to be taken for another.
        self._tokens = None
        self._came()

    def forget(self) -> None:
        """Another engine takes the place of this one, and has shown nothing yet."""
        self._last_ns = self._tokens = self.problem = None

    async def keep_asking(self, now: Callable[[], Lifecycle]) -> None:
        """
        See to it that it is known, for ever.

        Args:
            now: where the engine is.
        """
        while True:
            if now().state is State.AWAKE and self._is_due:
                await self._ask_while_awake(now)
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _ask_while_awake(self, now: Callable[[], Lifecycle]) -> None:
        """An engine that falls asleep keeps a question of ours for as long as it sleeps."""
        asked = asyncio.ensure_future(self._ask())
        try:
            while not asked.done() and now().state is State.AWAKE:
                await asyncio.wait({asked}, timeout=_LOOK_EVERY_S)
        finally:
            asked.cancel()
        if not asked.done() or asked.cancelled():
            return
        if (fault := asked.exception()) is not None:
            # Whatever an engine answers, the door stays open.
            self.problem = f"no token came: a fault of the gateway: {type(fault).__name__}"
            asked.get_loop().call_exception_handler(
                {"message": "the question for a token broke", "exception": fault}
            )

    @property
    def _is_due(self) -> bool:
        if self._last_ns is None or self.problem is not None:
            return True
        return self._monotonic_ns() - self._last_ns >= self._every_s * NS_PER_S

    async def _ask(self) -> None:
        if await self._has_counted():
            self._came()
            return
        try:
            async with asyncio.timeout(self._within_s):
                said = await self._questions.ask(tokens=1)
        except TimeoutError:
            self.problem = f"no token came within {self._within_s:g} s"
        except KeyWanted as wanted:
            self.problem = str(wanted)
        except CallFailed as failed:
            self.problem = f"no token came: {failed}"
        else:
            if said.tokens or said.vector or said.kind is Kind.NOTHING:
                self._came()
                self._tokens = None if self._tokens is None else self._tokens + len(said.tokens)
            else:
                self.problem = "it answered without a token"

    def _came(self) -> None:
        self._last_ns, self.problem = self._monotonic_ns(), None

    async def _has_counted(self) -> bool:
        """Whether there are more tokens than when they were last counted."""
        try:
            async with asyncio.timeout(_NUMBERS_WITHIN_S):
                counted = (await self._calls.numbers()).tokens
        except TimeoutError:
            return False
        before, self._tokens = self._tokens, counted
        return before is not None and counted is not None and counted > before
