"""
How much memory an engine keeps while it sleeps, and whether that grows.

vLLM says it in its log, once for each worker and sleep, and nowhere else: there is no metric of it
in 0.32. So its log has to be a file that both containers see. The most that any worker says counts,
because each has a device of its own, and the first that is full fails the wake-up.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace

from firstlight.core.units import BYTES_PER_GIB
from firstlight.edges.gate.log_lines import LogLines
from firstlight.edges.gate.log_tail import LogTail
from firstlight.edges.gate.metrics import Metrics
from firstlight.gateway.leaks import why_no_more
from firstlight.readers.vllm_log import Observation, read_log
from firstlight.readers.wordings.wording import Say
from firstlight.wiring.gating.aside import Aside
from firstlight.wiring.gating.sleeping import Sleeping

_MOST_KEPT = 1000
_LEAST_FREED_GIB = 0.01
_PIPED_WITHIN_S = 1.0
"""What the engine said comes into the file through a pipe."""


class InUse:
    """What is in use, sleep by sleep."""

    def __init__(
        self,
        tail: LogTail | None,
        *,
        sleeping: Sleeping,
        metrics: Metrics,
        lines: LogLines,
        refuse: Callable[[str], None],
    ) -> None:
        """
        Args:
            tail: of the engine's log; None where nobody sees it.
            sleeping: knows of the sleeps before, and is told of each.
            metrics: count.
            lines: tell.
            refuse: is told why the engine must not sleep again.
        """
        self._tail = tail
        self._sleeping = sleeping
        self._metrics = metrics
        self._lines = lines
        self._refuse = refuse
        self._under_way = Aside("the look at the engine's log")

    def begin(self) -> None:
        """The engine fell asleep just now: look at what it says of that."""
        if self._tail is not None:
            self._under_way.begin(self._look())

    def stop(self) -> None:
        """Another engine takes the place of this one, of which nothing follows for it."""
        self._under_way.stop()

    async def _look(self) -> None:
        await asyncio.sleep(_PIPED_WITHIN_S)
        why = await self._why_no_more()
        if why is not None:
            self._refuse(why)

    async def _why_no_more(self) -> str | None:
        said = await asyncio.to_thread(self._said)
        if any(one.say is Say.SLEEP_IGNORED for one in said):
            return "it does not support sleep mode, and gave no memory back"
        sleeps = [one.values for one in said if one.say is Say.SLEEP_FREED]
        if not sleeps:
            return None
        if max(float(one["gib"]) for one in sleeps) < _LEAST_FREED_GIB:
            return "its sleep gave no memory back: was it started with --enable-sleep-mode?"
        in_use = round(max(float(one["in_use"]) for one in sleeps) * BYTES_PER_GIB)
        self._metrics.in_use(in_use)
        kept = self._sleeping.kept
        told = (*kept.in_use_bytes, in_use)[-_MOST_KEPT:]
        await self._sleeping.keep(replace(kept, in_use_bytes=told))
        return why_no_more(told)

    def pass_over(self) -> None:
        """Whatever the log has so far tells of earlier sleeps, or of others' engines."""
        self._said()

    def _said(self) -> list[Observation]:
        if self._tail is None:
            return []
        try:
            return list(self._sleeps(self._tail.new()))
        except OSError as error:
            self._lines.say_seldom(
                "engine_log", "engine_log", problem=f"it cannot be read: {error.strerror or error}"
            )
            return []

    @staticmethod
    def _sleeps(new: bytes) -> Iterator[Observation]:
        kinds = {Say.SLEEP_FREED, Say.SLEEP_IGNORED}
        return (one for one in read_log("", [new]).observations if one.say in kinds)
