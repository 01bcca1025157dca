"""
What listens: connections in, their number bounded, each looked after.

aiohttp's low-level server, with connections of our own kind.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from aiohttp import web
from yarl import URL

from firstlight.edges.gate.connection import Connection
from firstlight.edges.gate.door import Witness
from firstlight.edges.gate.hangups import Hangups
from firstlight.edges.gate.limits import Limits
from firstlight.gateway.answers import Problem

if TYPE_CHECKING:
    from aiohttp.abc import AbstractStreamWriter
    from aiohttp.http_parser import RawRequestMessage
    from aiohttp.streams import StreamReader

NAME = "firstlight"
_NOWHERE = URL("/")
Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Listener(web.Server):
    """All connections of clients."""

    def __init__(self, handler: Handler, *, limits: Limits, witness: Witness) -> None:
        super().__init__(handler, request_factory=self._request, handler_cancellation=True)
        self.limits = limits
        self.witness = witness
        loop = asyncio.get_running_loop()
        self.now = loop.time
        self.hangups = Hangups(loop)
        self.open: set[Connection] = set()
        self._emptied = asyncio.Event()
        self._own_loop = loop
        self._looking = loop.call_later(limits.look_every_s, self._look)

    def __call__(self) -> web.RequestHandler:
        limits = self.limits
        return Connection(
            self,
            self,
            loop=self._own_loop,
            keepalive_timeout=limits.keep_alive_s,
            access_log=None,
            max_line_size=limits.line_bytes,
            max_field_size=limits.line_bytes,
            max_headers=limits.headers,
            lingering_time=limits.linger_s,
            read_bufsize=limits.kept_body_bytes // 4,
            auto_decompress=False,
        )

    def is_crowded(self, connection: Connection) -> bool:
        """Whether only the gateway's own routes are served on it: those before it keep the rest."""
        connection.is_beyond &= len(self.open) > self.limits.connections
        return connection.is_beyond

    def admit(self, connection: Connection) -> bool:
        """Whether there is room for it."""
        if len(self.open) >= self.limits.connections + self.limits.reserved_connections:
            return False
        connection.is_beyond = len(self.open) >= self.limits.connections
        self.open.add(connection)
        return True

    def dismiss(self, connection: Connection) -> None:
        """It is closed."""
        self.open.discard(connection)
        if not self.open:
            self._emptied.set()

    def answer(self, problem: Problem) -> web.StreamResponse:
        """A problem as an answer."""
        self.witness.turned_away(problem.code.value)
        response = web.Response(
            status=problem.status,
            body=problem.body,
            headers=[*problem.headers, ("Server", NAME)],
        )
        if problem.closes:
            response.force_close()
        return response

    async def end(self, within_s: float) -> None:
        """Let the connections end that answer something, and then end them all."""
        for connection in tuple(self.open):
            if not connection.busy:
                connection.force_close()
        if self.open:
            self._emptied.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._emptied.wait(), within_s)
        for connection in tuple(self.open):
            connection.cut()
        await self.shutdown(timeout=1.0)
        self._looking.cancel()
        self.hangups.close()

    def _look(self) -> None:
        now = self.now()
        for connection in tuple(self.open):
            connection.look(now)
        self._looking = self._own_loop.call_later(self.limits.look_every_s, self._look)

    def _request(
        self,
        message: "RawRequestMessage",
        payload: "StreamReader",
        protocol: web.RequestHandler,
        writer: "AbstractStreamWriter",
        task: "asyncio.Task[None]",
    ) -> web.BaseRequest:
        if isinstance(protocol, Connection):
            protocol.begin(payload)
        if message.url is None:
            # CONNECT to nowhere is taken for a request without a URL, and its connection would
            # be left open for ever with nobody to answer on it.
            message = message._replace(path="", url=_NOWHERE)
        return web.BaseRequest(message, payload, protocol, writer, task, self._own_loop)
