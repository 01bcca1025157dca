"""
A fake engine for many requests at once: it answers each by its prompt, and counts who asked.

What it says is a function of the prompt, so a right answer can be told from any other. Each prompt
begins with the name of its request, so that one that came twice is seen. Beside the hazards of the
engine it is built on, it spoils the answers of requests by name: cut, or garbage.

What is done to its core is done one after another, and to its end, whoever asked and left since;
so it is with the real one.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from aiohttp import web

from tests.gating.fake_engine import FakeEngine, Hazards

MOST_WORDS = 16
_WORD = 4
_LONGEST_PAUSE_S = 0.02


class Spoil(StrEnum):
    """What becomes of one answer."""

    NO_HEAD = "no head"
    """The connection is closed before there is any."""
    CUT = "cut"
    """It is closed in the middle."""
    NO_HTTP = "no http"
    """What comes in the place of a head is none."""
    NO_CHUNK = "no chunk"
    """What comes in the middle of a stream is no chunk."""


def spoken(prompt: str, count: int) -> list[str]:
    """
    What it says to a prompt.

    Args:
        prompt: any.
        count: of words, at most `MOST_WORDS`.
    """
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    return [digest[_WORD * n : _WORD * (n + 1)] for n in range(count)]


@dataclass(kw_only=True)
class ChaosEngine(FakeEngine):
    """One that is up, or was."""

    received: Counter[str] = field(default_factory=Counter)
    """How often each request came, by its name."""
    working_on: Counter[str] = field(default_factory=Counter)
    spoils: dict[str, Spoil] = field(default_factory=dict)
    sleeps_to_fail: int = 0
    """So many of the next ones answer 500, and leave it saying that it sleeps."""
    mute_after_wake: bool = False
    """After the next wake-up it generates nothing; all else is well."""
    mute: bool = False
    sleeps: int = 0
    """That succeeded, in all its lives."""
    failed_sleeps: int = 0
    _core_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _at_core: set[asyncio.Task[web.Response]] = field(default_factory=set)

    @property
    def is_up(self) -> bool:
        return self._runner is not None

    async def start(self) -> None:
        self.hazards, self.sleeps_to_fail = Hazards(), 0
        self.mute = self.mute_after_wake = False
        self._core_lock = asyncio.Lock()
        await FakeEngine.start(self)

    async def kill(self) -> None:
        for task in self._at_core:
            task.cancel()
        await FakeEngine.kill(self)
        self.asked.clear()
        self.bodies.clear()

    def die(self) -> None:
        """The core dies, and the front end says so to whoever is there."""
        self.dead = True
        for one in self._going:
            one.set()

    async def _generated(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        name = _prompt(body).partition(":")[0]
        self.received[name] += 1
        self.working_on[name] += 1
        try:
            return await FakeEngine._generated(self, request)
        except ConnectionError:
            # Whoever asked is gone.
            return web.Response()
        finally:
            self.working_on[name] -= 1

    async def _said(
        self, request: web.Request, body: Mapping[str, Any], abort: asyncio.Event, *, chat: bool
    ) -> web.StreamResponse:
        prompt, count = _prompt(body), int(body["max_tokens"])
        words = spoken(prompt, count) if self.has_weights else ["!"] * count
        spoil = self.spoils.get(prompt.partition(":")[0])
        if spoil in {Spoil.NO_HEAD, Spoil.NO_HTTP}:
            return _spoiled(request, b"\x16\x03 no HTTP\r\n\r\n" * (spoil is Spoil.NO_HTTP))
        if not body.get("stream"):
            return await self._whole(request, words, abort, spoil, chat=chat)
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        for at, word in enumerate(words):
            await self._thinks(word)
            if self.dead:
                await answer.write(b'data: {"error": {"message": "EngineCore died"}}\n\n')
                break
            if spoil is not None and at >= count // 2:
                return _spoiled(request, b"zz\r\n\r\n" * (spoil is Spoil.NO_CHUNK), answer)
            choice: dict[str, Any] = {"delta": {"content": word}} if chat else {"text": word}
            choice["finish_reason"] = "abort" if abort.is_set() else None
            await answer.write(b"data: %s\n\n" % json.dumps({"choices": [choice]}).encode())
            if abort.is_set():
                break
        await answer.write(b"data: [DONE]\n\n")
        return answer

    async def _whole(
        self,
        request: web.Request,
        words: list[str],
        abort: asyncio.Event,
        spoil: Spoil | None,
        *,
        chat: bool,
    ) -> web.StreamResponse:
        said: list[str] = []
        for word in words:
            await self._thinks(word)
            if abort.is_set():
                break
            said.append(word)
        if self.dead:
            error = {"message": "EngineCore died", "type": "InternalServerError"}
            return web.json_response({"error": error}, status=500)
        text = " ".join(said)
        choice: dict[str, Any] = {"message": {"content": text}} if chat else {"text": text}
        choice["finish_reason"] = "abort" if abort.is_set() else "length"
        if spoil is None:
            return web.json_response({"choices": [choice]})
        cut = web.StreamResponse(headers={"Content-Length": "100000"})
        await cut.prepare(request)
        await cut.write(b'{"choices": [')
        return _spoiled(request, b"", cut)

    async def _thinks(self, word: str) -> None:
        # A word of garbage takes its time too.
        share = int(word, 16) / 0xFFFF if word != "!" else 0.5
        await asyncio.sleep(share * _LONGEST_PAUSE_S)
        self.tokens += 1
        while self.mute or self.hazards.core_silent:  # noqa: ASYNC110 - tests set plain values
            await asyncio.sleep(0.01)

    async def _sleep(self, request: web.Request) -> web.Response:
        async def sleep() -> web.Response:
            fails = self.sleeps_to_fail > 0
            self.hazards.sleep_fails = fails
            self.sleeps_to_fail -= fails
            answer = await FakeEngine._sleep(self, request)
            self.failed_sleeps += fails
            self.sleeps += not fails
            return answer

        return await self._to_its_end(sleep)

    async def _wake_up(self, request: web.Request) -> web.Response:
        async def wake_up() -> web.Response:
            answer = await FakeEngine._wake_up(self, request)
            self.mute, self.mute_after_wake = self.mute or self.mute_after_wake, False
            return answer

        return await self._to_its_end(wake_up)

    async def _to_its_end(self, call: Callable[[], Awaitable[web.Response]]) -> web.Response:
        lock = self._core_lock

        async def called() -> web.Response:
            async with lock:
                return await call()

        task = asyncio.create_task(called())
        self._at_core.add(task)
        task.add_done_callback(self._at_core.discard)
        return await asyncio.shield(task)


def _prompt(body: Mapping[str, Any]) -> str:
    said = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
    return str(said)


def _spoiled(
    request: web.Request, garbage: bytes, answer: web.StreamResponse | None = None
) -> web.StreamResponse:
    """Say that in the place of what should come, and close."""
    if request.transport is not None:
        if garbage:
            request.transport.write(garbage)
        request.transport.close()
    return answer or web.Response()
