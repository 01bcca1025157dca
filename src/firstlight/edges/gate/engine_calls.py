"""
What a gateway itself says to its engine: how are you, sleep, wake up.

The calls are vLLM's, there in development mode only, and none of them is what it seems. An answer
of 200 to a wake-up does not say that all of it is awake; a sleep that answers 500 may leave an
engine that says that it sleeps; `/health` says 200 to whoever asks about a sleeping engine, and
hangs for nobody. So each call ends when the engine itself says of itself what was wanted, and
what it says is asked for in a way that never waits for its core where that is busy falling asleep.

An engine that slept on level 2 has no weights. To wake it in one go gives an engine that answers
200 and nonsense, so its weights' memory comes first, then what is in them, then the KV cache.

Nothing has a time of its own here but a look: whoever calls says when enough was waited.
"""

import asyncio
import errno
import json
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self

import aiohttp

from firstlight.edges.first_token import complaint, with_key
from firstlight.edges.gate.engine_numbers import DISCARDS, Counted, counted
from firstlight.gateway.happenings import Sight

_LOOK_AGAIN_S = 0.1
_LOOK_AGAIN_MOST_S = 1.0
_LONGEST_BYTES = 16 * 1024 * 1024
_NO_DESCRIPTOR = {errno.EMFILE, errno.ENFILE}
_NO_SUCH_CALL = {
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
    HTTPStatus.NOT_IMPLEMENTED,
}


class CallFailed(Exception):
    """The engine did not do what it was asked for; the text says how."""

    def __init__(self, words: str, *, status: int | None = None) -> None:
        super().__init__(words)
        self.status = status
        """Of its answer; None where there was none."""


class NoDescriptor(CallFailed):
    """It was not asked: this process, or its machine, has no descriptor left to do so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one look shows."""

    sight: Sight | None
    """None where nothing can be told, or what can be told was not asked for."""
    words: str
    can_sleep: bool = True
    """Whether it has the calls for it, and says whether it sleeps."""
    core_silent: bool = False
    """Whether it is the engine behind the front end that says nothing."""


class EngineCalls:
    """One engine; within `async with`."""

    def __init__(self, url: str, *, api_key: str | None) -> None:
        """
        Args:
            url: of its server.
            api_key: for what it guards; None where it guards nothing.
        """
        self.url = url.rstrip("/")
        self._headers = with_key(api_key)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        # A connection that was kept may be one to an engine that is gone.
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True, limit=0),
            timeout=aiohttp.ClientTimeout(total=None),
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def look(self, *, within_s: float, at_core: bool) -> Look:
        """
        How it is.

        Args:
            within_s: who says nothing for so long is silent.
            at_core: whether the engine behind the front end is asked too, which answers between
                two steps of its work and not while it falls asleep or wakes.
        """
        try:
            async with asyncio.timeout(within_s):
                status, _ = await self._answer("GET", "/health")
        except TimeoutError:
            return Look(sight=Sight.SILENT, words=f"/health said nothing for {within_s:g} s")
        except NoDescriptor as ours:
            return Look(sight=None, words=str(ours))
        except CallFailed as nothing:
            return Look(sight=Sight.ABSENT, words=str(nothing))
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return Look(sight=Sight.DEAD, words=f"/health answered {status}")
        if status != HTTPStatus.OK:
            return Look(sight=Sight.ABSENT, words=f"/health answered {status}: that is no engine")
        if not at_core:
            return Look(sight=None, words="/health answered 200")
        return await self._look_at_core(within_s)

    async def _look_at_core(self, within_s: float) -> Look:
        try:
            async with asyncio.timeout(within_s):
                sleeps = _sleeps(await self._called("GET", "/is_sleeping"))
        except TimeoutError:
            words = f"/is_sleeping said nothing for {within_s:g} s"
            return Look(sight=Sight.SILENT, words=words, core_silent=True)
        except CallFailed as nothing:
            if nothing.status in _NO_SUCH_CALL:
                return Look(sight=Sight.AWAKE, words=str(nothing), can_sleep=False)
            return Look(sight=None, words=str(nothing), can_sleep=nothing.status is None)
        sight = Sight.ASLEEP if sleeps else Sight.AWAKE
        return Look(sight=sight, words=f"it says that it is {sight}")

    async def is_sleeping(self) -> bool:
        """
        What it says of itself.

        Raises:
            CallFailed: it says nothing of the kind.
        """
        return _sleeps(await self.call("GET", "/is_sleeping"))

    async def sleep(self, level: int) -> None:
        """
        Have it asleep; requests that others sent to it are waited for.

        Raises:
            CallFailed: it refused, or was not there.
        """
        await self.call("POST", f"/sleep?level={level}&mode=wait")
        await self._until(sleeps=True)

    async def wake_up(self, level: int) -> None:
        """
        Have it awake.

        Args:
            level: of the sleep that it is in.

        Raises:
            CallFailed: it refused, or was not there.
        """
        if level == DISCARDS:
            await self.call("POST", "/wake_up?tags=weights")
            await self.call("POST", "/collective_rpc", {"method": "reload_weights"})
            await self.call("POST", "/wake_up?tags=kv_cache")
        else:
            await self.call("POST", "/wake_up")
        await self._until(sleeps=False)

    async def numbers(self) -> Counted:
        """What it counts; nothing where it does not, or is not there."""
        try:
            status, body = await self._answer("GET", "/metrics")
        except CallFailed:
            return Counted()
        return counted(body) if status == HTTPStatus.OK else Counted()

    async def why_not_able(self) -> str | None:
        """Why it cannot give memory back though it has the calls; None where it may be able to."""
        try:
            said = await self.call("GET", "/server_info?config_format=json")
            model = said["vllm_config"]["model_config"]["enable_sleep_mode"]
            worker = said["vllm_config"]["parallel_config"]["worker_cls"]
        except (CallFailed, KeyError, TypeError):
            return None
        # A worker of somebody's own may sleep in a way of its own.
        if model is False and isinstance(worker, str) and worker.startswith(("vllm.", "auto")):
            return "it was started without --enable-sleep-mode"
        return None

    async def call(self, method: str, path: str, body: object = None) -> Any:
        """
        The JSON of an answer; None where it is none.

        Where this process has no descriptor left to ask it with, one is waited for: that is no
        failure of the engine's.

        Raises:
            CallFailed: it answered something else than 200, or did not answer.
        """
        while True:
            try:
                return await self._called(method, path, body)
            except NoDescriptor:
                await asyncio.sleep(_LOOK_AGAIN_S)

    async def _called(self, method: str, path: str, body: object = None) -> Any:
        status, said = await self._answer(method, path, body)
        if status != HTTPStatus.OK:
            where = path.partition("?")[0]
            raise CallFailed(f"{where} answered {status}: {complaint(said)}", status=status)
        try:
            return json.loads(said)
        except (ValueError, RecursionError):
            return None

    async def _until(self, *, sleeps: bool) -> None:
        pause_s, began_s = _LOOK_AGAIN_S, time.monotonic()
        while await self.is_sleeping() is not sleeps:
            # It said that it was done, so this is over at once or takes its time.
            await asyncio.sleep(pause_s)
            pause_s = min(_LOOK_AGAIN_MOST_S, max(_LOOK_AGAIN_S, time.monotonic() - began_s))

    async def _answer(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        if self._session is None:
            raise AssertionError
        try:
            async with self._session.request(
                method, f"{self.url}{path}", json=body, allow_redirects=False
            ) as reply:
                return reply.status, await _whole(reply.content)
        except (aiohttp.ClientError, OSError, ValueError) as broken:
            kind = NoDescriptor if _is_ours(broken) else CallFailed
            raise kind(f"{path.partition('?')[0]}: {_what_happened(broken)}") from broken


def _sleeps(said: Any) -> bool:
    if isinstance(said, dict) and isinstance(found := said.get("is_sleeping"), bool):
        return found
    raise CallFailed("/is_sleeping answered 200, and not whether it sleeps", status=HTTPStatus.OK)


async def _whole(content: aiohttp.StreamReader) -> bytes:
    """A body, at most so much of it."""
    read = bytearray()
    while len(read) < _LONGEST_BYTES and (piece := await content.readany()):
        read += piece
    return bytes(read)


def _is_ours(broken: Exception) -> bool:
    return isinstance(broken, OSError) and broken.errno in _NO_DESCRIPTOR


def _what_happened(broken: Exception) -> str:
    match broken:
        case OSError() if _is_ours(broken):
            return f"it was not asked, for this gateway has no descriptor left: {broken.strerror}"
        case aiohttp.ClientConnectorDNSError():
            return f"the host name {broken.host} is unknown"
        case aiohttp.ClientConnectorError() if broken.os_error.errno == errno.ECONNREFUSED:
            return f"nobody listens on {broken.host}:{broken.port}"
        case aiohttp.ClientConnectorError():
            return f"{broken.host}:{broken.port}: {broken.strerror}"
        case aiohttp.ServerDisconnectedError() | ConnectionResetError():
            return "the connection was closed without an answer"
        case aiohttp.ClientPayloadError():
            return "the answer broke off"
        case aiohttp.ClientResponseError() | ValueError():
            return "what answered does not speak HTTP"
        case OSError():
            return broken.strerror or "the connection broke"
        case _:
            return type(broken).__name__
