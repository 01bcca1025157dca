"""
An engine that sleeps in milliseconds and fails on demand, in the loop of the test.

It has the routes that vLLM has in development mode and does what they do there, the bad parts
too: while it sleeps `/health` says 200 and requests hang; a sleep that answers 500 leaves it
saying that it sleeps; a wake-up that fails kills its core; after a sleep of level 2 a bare wake-up
answers 200, and from then on it talks nonsense. Each attribute below is one hazard.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

_ACCEPTED_WITHIN_S = 0.01
ALL = frozenset({"weights", "kv_cache"})
_WORDS = ("once", "upon", "a", "time", "there", "was", "an", "engine", "that", "slept")


@dataclass(slots=True, kw_only=True)
class Hazards:
    """What is wrong with it."""

    dev_mode: bool = True
    sleep_mode: bool | None = True
    """What its configuration says; None for one that does not say."""
    key: str | None = None
    kinds: tuple[str, ...] = ("completions", "chat")
    """What it can be asked; `embeddings` too."""
    counts: bool = True
    """Whether its page of metrics has numbers in it."""
    sleep_fails: bool = False
    sleep_hangs: bool = False
    sleep_takes_s: float = 0.0
    wake_kills: bool = False
    wake_hangs: bool = False
    wake_takes_s: float = 0.0
    weights_lost: bool = False
    """A wake-up answers 200, and they are not back."""
    core_silent: bool = False
    health: int | None = None
    """The status of `/health`, whatever is true."""
    token_takes_s: float = 0.0
    unsteady: bool = False
    """It never says the same twice."""


@dataclass(slots=True, kw_only=True)
class FakeEngine:
    """One that is up, or was."""

    hazards: Hazards = field(default_factory=Hazards)
    port: int = 0
    asked: list[str] = field(default_factory=list)
    """Method and target of every request, in order."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    asleep: set[str] = field(default_factory=set)
    level: int = 0
    paused: bool = False
    dead: bool = False
    has_weights: bool = True
    tokens: int = 0
    answered: int = 0
    aborted: int = 0
    _going: set[asyncio.Event] = field(default_factory=set)
    _change: asyncio.Condition = field(default_factory=asyncio.Condition)
    _runner: web.AppRunner | None = None
    _listening: socket.socket | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def says_it_sleeps(self) -> bool:
        return self.paused or bool(self.asleep)

    def calls(self) -> list[str]:
        """Those that steer it."""
        words = ("/sleep", "/wake_up", "/collective_rpc")
        return [one for one in self.asked if one.split(" ")[1].startswith(words)]

    async def start(self) -> None:
        """A new process: awake, with all that was loaded, on the port of the one before."""
        self.asleep, self.level, self.paused, self.dead = set(), 0, False, False
        self.has_weights, self.tokens = True, 0
        app = web.Application(middlewares=[self._seen], client_max_size=1 << 30)
        app.add_routes(
            [
                web.get("/health", self._health),
                web.get("/metrics", self._metrics),
                web.get("/v1/models", self._models),
                web.post("/v1/completions", self._generated),
                web.post("/v1/chat/completions", self._generated),
                web.post("/v1/embeddings", self._embedded),
            ]
        )
        if self.hazards.dev_mode:
            app.add_routes(
                [
                    web.get("/is_sleeping", self._is_sleeping),
                    web.get("/server_info", self._info),
                    web.post("/sleep", self._sleep),
                    web.post("/wake_up", self._wake_up),
                    web.post("/collective_rpc", self._rpc),
                ]
            )
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0)
        await self._runner.setup()
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listening.getsockname()[1]
        await web.SockSite(self._runner, self._listening).start()

    async def kill(self) -> None:
        """Its process is gone, and every connection with it."""
        runner, self._runner = self._runner, None
        if runner is None or runner.server is None or self._listening is None:
            return
        # Accept nobody more, and let those in who are half in: closing under them would leave
        # them open and nobody's.
        asyncio.get_running_loop().remove_reader(self._listening)
        await asyncio.sleep(_ACCEPTED_WITHIN_S)
        for site in runner.sites:
            await site.stop()
        # Else what is under way would be waited for, as long as it takes.
        for one in runner.server.connections:
            if one.transport is not None:
                one.transport.abort()
        await runner.cleanup()

    @web.middleware
    async def _seen(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.rel_url}")
        key = self.hazards.key
        guarded = request.path.startswith("/v1")
        if key and guarded and request.headers.get("Authorization") != f"Bearer {key}":
            return web.json_response({"error": "Unauthorized"}, status=401)
        answer: web.StreamResponse = await handler(request)
        return answer

    async def _health(self, _: web.Request) -> web.Response:
        return web.Response(status=self.hazards.health or (503 if self.dead else 200))

    async def _metrics(self, _: web.Request) -> web.Response:
        if not self.hazards.counts:
            return web.Response(text="")
        states = {
            "awake": not self.asleep,
            "weights_offloaded": bool(self.asleep) and self.level == 1,
            "discard_all": bool(self.asleep) and self.level == 2,
        }
        lines = [
            f'vllm:engine_sleep_state{{engine="0",sleep_state="{name}"}} {float(on)}'
            for name, on in states.items()
        ]
        lines.append(f'vllm:generation_tokens_total{{engine="0"}} {float(self.tokens)}')
        return web.Response(text="\n".join(lines) + "\n")

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": "fake"}]})

    async def _is_sleeping(self, request: web.Request) -> web.Response:
        await self._core(request)
        return web.json_response({"is_sleeping": self.says_it_sleeps})

    async def _info(self, _: web.Request) -> web.Response:
        config = {
            "model_config": {"enable_sleep_mode": self.hazards.sleep_mode},
            "parallel_config": {"worker_cls": "vllm.v1.worker.gpu_worker.Worker"},
        }
        if self.hazards.sleep_mode is None:
            return web.json_response({})
        return web.json_response({"vllm_config": config})

    async def _sleep(self, request: web.Request) -> web.Response:
        await self._core(request)
        level, mode = int(request.query.get("level", 1)), request.query.get("mode", "abort")
        self.paused = True
        if mode == "abort":
            self.aborted += len(self._going)
            for one in self._going:
                one.set()
        async with self._change:
            await self._change.wait_for(lambda: not self._going)
        await self._take(hangs=self.hazards.sleep_hangs, takes_s=self.hazards.sleep_takes_s)
        if self.hazards.sleep_fails:
            return web.json_response({"error": {"message": "no room"}}, status=500)
        self.asleep, self.level = set(ALL), level
        self.has_weights = level == 1
        return web.json_response({"status": "sleeping", "level": level})

    async def _wake_up(self, request: web.Request) -> web.Response:
        await self._core(request)
        tags = set(request.query.getall("tags", [])) or set(ALL)
        await self._take(hangs=self.hazards.wake_hangs, takes_s=self.hazards.wake_takes_s)
        if self.hazards.wake_kills:
            self.dead = True
            return web.json_response({"error": {"message": "EngineCore died"}}, status=500)
        self.asleep -= tags
        if self.hazards.weights_lost:
            self.has_weights = False
        if not self.asleep:
            self.paused = False
            async with self._change:
                self._change.notify_all()
        status = "sleeping" if self.asleep else "awake"
        return web.json_response({"status": status, "tags": sorted(tags)})

    async def _rpc(self, request: web.Request) -> web.Response:
        await self._core(request)
        if (await request.json())["method"] == "reload_weights":
            assert "weights" not in self.asleep, "there is no memory to load them into"
            self.has_weights = not self.hazards.weights_lost
        return web.json_response({"results": [None]})

    async def _embedded(self, _: web.Request) -> web.Response:
        if "embeddings" not in self.hazards.kinds:
            return web.json_response({"error": {"message": "no such thing"}}, status=404)
        await self._awake()
        numbers = [1.0, 2.0, 3.0] if self.has_weights else [0.0, 0.0, 0.0]
        return web.json_response({"data": [{"embedding": numbers}]})

    async def _generated(self, request: web.Request) -> web.StreamResponse:
        chat = request.path.endswith("chat/completions")
        if ("chat" if chat else "completions") not in self.hazards.kinds:
            return web.json_response({"error": {"message": "no such thing"}}, status=400)
        body = await request.json()
        self.bodies.append(body)
        await self._awake()
        abort = asyncio.Event()
        self._going.add(abort)
        try:
            return await self._said(request, body, abort, chat=chat)
        finally:
            self._going.discard(abort)
            async with self._change:
                self._change.notify_all()

    async def _said(
        self, request: web.Request, body: Mapping[str, Any], abort: asyncio.Event, *, chat: bool
    ) -> web.StreamResponse:
        words = self._words(int(body.get("max_tokens", 4)))
        if not body.get("stream"):
            said = [one async for one in self._spoken(words, abort)]
            text = " ".join(said)
            choice = {"message": {"content": text}} if chat else {"text": text}
            finish = "abort" if abort.is_set() else "length"
            self.answered += 1
            return web.json_response({"choices": [choice | {"finish_reason": finish}]})
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        async for word in self._spoken(words, abort):
            choice = {"delta": {"content": word}} if chat else {"text": word}
            await answer.write(b"data: %s\n\n" % json.dumps({"choices": [choice]}).encode())
        await answer.write(b"data: [DONE]\n\n")
        self.answered += 1
        return answer

    def _words(self, count: int) -> list[str]:
        if not self.has_weights:
            return ["!"] * count
        start = self.answered if self.hazards.unsteady else 0
        return [_WORDS[(start + n) % len(_WORDS)] for n in range(count)]

    async def _spoken(self, words: list[str], abort: asyncio.Event) -> AsyncIterator[str]:
        for word in words:
            await asyncio.sleep(self.hazards.token_takes_s)
            if abort.is_set():
                return
            self.tokens += 1
            yield word

    async def _awake(self) -> None:
        """Whoever asks while it sleeps waits, and is told nothing."""
        async with self._change:
            await self._change.wait_for(lambda: not self.says_it_sleeps)

    async def _core(self, _: web.Request) -> None:
        if self.dead:
            raise web.HTTPInternalServerError
        if self.hazards.core_silent:
            await asyncio.Event().wait()

    @staticmethod
    async def _take(*, hangs: bool, takes_s: float) -> None:
        if hangs:
            await asyncio.Event().wait()
        await asyncio.sleep(takes_s)


@asynccontextmanager
async def fake_engine(**hazards: Any) -> AsyncIterator[FakeEngine]:
    """One that is up."""
    engine = FakeEngine(hazards=Hazards(**hazards))
    await engine.start()
    try:
        yield engine
    finally:
        await engine.kill()
