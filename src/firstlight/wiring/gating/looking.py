"""
Looks at the engine, one after another, and the passing of time.

A look is no demand. While the engine falls asleep or wakes only its front end is asked, for its
core answers nobody then; otherwise the core too, since a front end is well while its core hangs.
Before its first token it may compile for minutes in one step, and say nothing meanwhile: that is
no silence. What would end in a new start of the engine is looked at twice: it may have been this
process that stood still.

What holds for one engine and not for the next, that it has no calls for sleep, or cannot give
memory back, is found out here too, once an engine. One that is well and does not say whether it
sleeps is taken for awake and never put to sleep, for else it would serve nobody.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from firstlight.core.units import NS_PER_S
from firstlight.edges.gate.engine_calls import EngineCalls, Look
from firstlight.edges.gate.log_lines import LogLines
from firstlight.gateway.happenings import Seen, Sight, SleepRefused, Ticked
from firstlight.gateway.states import ALIVE, BUSY, State
from firstlight.wiring.gating.answering import Answering
from firstlight.wiring.gating.aside import Aside
from firstlight.wiring.gating.keeper import Keeper

_TICK_S = 0.25
_TICK_NS = round(_TICK_S * NS_PER_S)
_ODD_LOOKS = 3
_AGAIN_AFTER_S, _AGAIN_WITHIN_S = 0.2, 5.0
_ABLE_WITHIN_S = 60.0
_WELL = {Sight.AWAKE, Sight.ASLEEP}
_LOST = {Sight.ABSENT, Sight.DEAD, Sight.SILENT}
_NO_CALLS = (
    "the engine has no calls for sleep that answer: it was started without VLLM_SERVER_DEV_MODE=1, "
    "or is another server"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often it is looked, and how long is waited."""

    every_s: float = 1.0
    silent_s: float = 60.0


class Looking:
    """At one engine after another."""

    def __init__(
        self,
        *,
        keeper: Keeper,
        calls: EngineCalls,
        answering: Answering,
        lines: LogLines,
        pace: Pace,
        monotonic_ns: Callable[[], int],
    ) -> None:
        self._keeper = keeper
        self._calls = calls
        self._answering = answering
        self._lines = lines
        self._pace = pace
        self._monotonic_ns = monotonic_ns
        self._soon = asyncio.Event()
        self._finding = Aside("the question whether the engine is able to sleep")
        """Begun once an engine."""
        self._odd_looks = 0
        """One after another, in which it answered, and not whether it sleeps."""
        self.last: Look | None = None
        """The last one; None before the first has ended."""

    async def keep_ticking(self) -> None:
        """Tell that time goes by, for ever."""
        before_ns = self._monotonic_ns()
        while True:
            await asyncio.sleep(_TICK_S)
            before_ns, late_ns = (now_ns := self._monotonic_ns()), now_ns - before_ns - _TICK_NS
            self._keeper.feed(Ticked(stood_still_ns=late_ns if late_ns > _TICK_NS else 0))

    async def keep_looking(self) -> None:
        """Look, for ever."""
        while True:
            self._soon.clear()
            await self.look()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pace.every_s):
                    await self._soon.wait()

    def soon(self) -> None:
        """Look again at once: something happened that the engine may show."""
        self._soon.set()

    async def look(self) -> None:
        """Look once, and tell what was seen."""
        begun_ns, found = await self._seen(self._pace.silent_s)
        if found.sight in _LOST and self._keeper.now.state in ALIVE:
            await asyncio.sleep(_AGAIN_AFTER_S)
            begun_ns, again = await self._seen(min(self._pace.silent_s, _AGAIN_WITHIN_S))
            found = found if again.sight is found.sight else again
        found = self._at_its_word(found)
        is_well = found.sight in _WELL or (found.sight is None and self._keeper.now.state in BUSY)
        if not is_well and (self.last is None or found.words != self.last.words):
            self._lines.say_seldom("seen", f"seen {found.sight}", words=found.words)
        self.last = found
        if found.sight is Sight.SILENT and not self._means_silence(found):
            return
        if found.sight is not None:
            self._keeper.feed(Seen(sight=found.sight, begun_ns=begun_ns, words=found.words))
        if self._keeper.now.state is State.STARTING:
            self.stop()
        elif not self._finding.has_begun and found.sight in _WELL:
            # It may take long, and looks go on.
            self._finding.begin(self._tell_whether_able(found))

    def _at_its_word(self, found: Look) -> Look:
        """Whoever is well, and keeps from saying whether it sleeps, is not kept out for that."""
        is_odd = found.sight is None and not found.can_sleep
        self._odd_looks = self._odd_looks + 1 if is_odd else 0
        # One that was awake stays so; of one that sleeps an error says nothing.
        if self._odd_looks >= _ODD_LOOKS and self._keeper.now.state not in ALIVE:
            return replace(found, sight=Sight.AWAKE)
        return found

    async def _seen(self, within_s: float) -> tuple[int, Look]:
        begun_ns = self._monotonic_ns()
        at_core = self._keeper.now.state not in BUSY
        return begun_ns, await self._calls.look(within_s=within_s, at_core=at_core)

    def stop(self) -> None:
        """Find out nothing more; also where the next engine is another."""
        self._finding.stop()

    def _means_silence(self, found: Look) -> bool:
        return not found.core_silent or self._answering.has_answered

    async def _tell_whether_able(self, found: Look) -> None:
        why: str | None = f"{_NO_CALLS} ({found.words})"
        if found.can_sleep:
            try:
                async with asyncio.timeout(_ABLE_WITHIN_S):
                    why = await self._calls.why_not_able()
            except TimeoutError:
                return
        if why is not None:
            self._keeper.feed(SleepRefused(why=why))
