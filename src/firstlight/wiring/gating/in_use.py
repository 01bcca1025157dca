"""
How much memory an engine keeps while it sleeps, and whether that grows.

vLLM says it in its log, once for each worker and sleep, and nowhere else: there is no metric of it
in 0.32. So its log has to be a file that both containers see. The most that any worker says counts,
because each has a device of its own, and the first that is full fails the wake-up.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from firstlight.core.units import BYTES_PER_GIB
from firstlight.edges.gate.log_lines import LogLines
from firstlight.edges.gate.log_tail import LogTail
from firstlight.edges.gate.metrics import Metrics
from firstlight.gateway.leaks import trend
from firstlight.readers.vllm_log import Observation, read_log
from firstlight.readers.wordings.wording import Say
from firstlight.wiring.gating.sleeping import Sleeping

_MOST_KEPT = 1000
_LEAST_FREED_GIB = 0.01
_PIPED_WITHIN_S = 1.0
"""What the engine said comes into the file through a pipe."""


class InUse:
    """What is in use, sleep by sleep."""

    def __init__(self, tail: LogTail, *, metrics: Metrics, lines: LogLines) -> None:
        self._tail = tail
        self._metrics = metrics
        self._lines = lines

    async def why_no_more(self, sleeping: Sleeping) -> str | None:
        """
        Why the engine must not sleep again, just after it fell asleep; None where it may.

        Args:
            sleeping: knows of the sleeps before, and is told of this one.
        """
        await asyncio.sleep(_PIPED_WITHIN_S)
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
        told = (*sleeping.kept.in_use_bytes, in_use)[-_MOST_KEPT:]
        await sleeping.keep(replace(sleeping.kept, in_use_bytes=told))
        found = trend(told)
        return found.why_no_sleep if found else None

    def pass_over(self) -> None:
        """Whatever the log has so far tells of earlier sleeps, or of others' engines."""
        self._said()

    def _said(self) -> list[Observation]:
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
