"""A gateway as a process: started, asked, told to end, and read."""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp

from tests.fakes.processes import free_port
from tests.gating_chaos.gateway import TOKEN_FILE

ROOT = Path(__file__).resolve().parents[2]
_TOKEN = "correct-horse"
_UP_WITHIN_S = 30.0
_LOG = "gate.log"


class GateProcess:
    """One after another, on one port."""

    def __init__(self, engine: str, folder: Path) -> None:
        """
        Args:
            engine: URL.
            folder: for its files.
        """
        self._engine = engine
        self._folder = folder
        self.port = free_port()
        self.level = 1
        self.lives = 0
        self._process: asyncio.subprocess.Process | None = None
        self._client: aiohttp.ClientSession | None = None
        (folder / TOKEN_FILE).write_text(_TOKEN)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self, level: int) -> None:
        """
        Until it answers.

        Args:
            level: to sleep on.
        """
        self.level = level
        self.lives += 1
        words = (self._engine, str(self.port), str(level), str(self._folder))
        with (self._folder / _LOG).open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.gating_chaos.gateway", *words),
                stderr=log,
                cwd=ROOT,
            )
        async with asyncio.timeout(_UP_WITHIN_S):
            while await self.status("/startupz") != 200:
                assert self._process.returncode is None, self.log()
                await asyncio.sleep(0.02)

    async def state(self) -> dict[str, Any]:
        """What it says of itself."""
        _, text = await self.ask("/-/state")
        told: dict[str, Any] = json.loads(text)
        return told

    async def status(self, path: str) -> int | None:
        """Of one of its own routes; None where nobody answers."""
        try:
            return (await self.ask(path))[0]
        except (aiohttp.ClientError, OSError):
            return None

    async def ask(self, path: str, method: str = "GET") -> tuple[int, str]:
        """One of its own routes, each time on a connection of its own."""
        if self._client is None:
            self._client = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(force_close=True),
                timeout=aiohttp.ClientTimeout(total=20),
                headers={"Authorization": f"Bearer {_TOKEN}"},
            )
        async with self._client.request(method, f"http://127.0.0.1:{self.port}{path}") as reply:
            return reply.status, await reply.text()

    def terminate(self) -> None:
        """Tell it to end, as kubelet does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)

    async def ended(self, within_s: float) -> int:
        """Its exit code."""
        assert self._process is not None
        return await asyncio.wait_for(self._process.wait(), within_s)

    async def close(self) -> None:
        """Whatever it does."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        if self._client is not None:
            await self._client.close()

    def log(self) -> str:
        """All that it said in all its lives."""
        with suppress(FileNotFoundError):
            return (self._folder / _LOG).read_text()
        return ""

    def events(self) -> Counter[str]:
        """How often it said what; each line is one to parse."""
        return Counter(json.loads(line)["event"] for line in self.log().splitlines())

    def resident_bytes(self) -> int:
        """Its memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self) -> int:
        """Its open files and sockets."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))
