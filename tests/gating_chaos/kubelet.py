"""
What starts the engine's container anew: when it ended, or when its probe fails.

The probe asks the gateway, as the manifests have it: at first, until it once says yes, as a startup
probe; from then on as a liveness probe.
"""

import asyncio

from tests.gating_chaos.engine import ChaosEngine
from tests.gating_chaos.process import GateProcess

_EVERY_S = 0.05
_LIVENESS_MISSES = 2
_STARTUP_MISSES = 60


class Kubelet:
    """Of one engine."""

    def __init__(self, engine: ChaosEngine, gate: GateProcess) -> None:
        """
        Args:
            engine: started anew.
            gate: asked.
        """
        self._engine = engine
        self._gate = gate
        self.looks = True
        """Whether it does."""
        self.boots_s = 0.5
        """So long the engine is gone."""
        self.restarts = 0

    async def keep_looking(self) -> None:
        """For ever."""
        started, misses = False, 0
        while True:
            await asyncio.sleep(_EVERY_S)
            if not self.looks:
                misses = 0
                continue
            if self._engine.is_up:
                if await self._gate.status("/-/engine-livez") == 200:
                    started, misses = True, 0
                    continue
                misses += 1
                if misses < (_LIVENESS_MISSES if started else _STARTUP_MISSES):
                    continue
            await self._start_anew()
            started, misses = False, 0

    async def _start_anew(self) -> None:
        self.restarts += 1
        await self._engine.kill()
        await asyncio.sleep(self.boots_s)
        await self._engine.start()
