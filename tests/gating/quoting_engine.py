"""The fake engine where it refuses what it is asked for, and quotes it, as vLLM does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from tests.gating.fake_engine import FakeEngine


class QuotingEngine(FakeEngine):
    """What has one word in it is refused."""

    __slots__ = ("status", "word")

    def __init__(self, word: str, status: int) -> None:
        super().__init__()
        self.word, self.status = word, status

    async def _generated(self, request: web.Request) -> web.StreamResponse:
        asked = await request.text()
        if self.word in asked:
            words = f"1 validation error: input_value={asked}"
            return web.json_response({"error": {"message": words}}, status=self.status)
        return await super()._generated(request)


@asynccontextmanager
async def quoting_engine(word: str, status: int = 400) -> AsyncIterator[QuotingEngine]:
    """One that is up."""
    engine = QuotingEngine(word, status)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.kill()
