"""
The HTTP side of a gateway, put together: what listens, what decides where to, what passes on.
"""

import asyncio
import errno

from aiohttp import hdrs, web

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.gate.connection import Connection
from firstlight.edges.gate.door import AnswersOwn, Door, OwnRequest, Witness
from firstlight.edges.gate.engine_side import EngineSide
from firstlight.edges.gate.limits import Limits
from firstlight.edges.gate.listener import NAME, Listener
from firstlight.edges.gate.pass_through import PassThrough
from firstlight.gateway.answers import Code, Problem
from firstlight.gateway.headers import decoded, framing
from firstlight.gateway.routes import Route, route

_BACKLOG = 1024
_VERSIONS = ((1, 0), (1, 1))
_RETRY_CROWD_S = 1


class GateServer:
    """A listening gateway; made inside a running loop."""

    def __init__(
        self,
        *,
        door: Door,
        own: AnswersOwn,
        engine: EngineSide,
        witness: Witness,
        limits: Limits | None = None,
    ) -> None:
        """
        Args:
            door: where requests for the engine wait.
            own: answers what is for the gateway.
            engine: entered before and left after this.
            witness: is told of what passed.
            limits: of what one client may have.
        """
        self._limits = limits or Limits()
        self._own = own
        self._listener = Listener(self._answered, limits=self._limits, witness=witness)
        self._passing = PassThrough(door=door, engine=engine, limits=self._limits, witness=witness)
        self._server: asyncio.Server | None = None
        self.port = 0
        """Where it listens, once it is started."""
        self._winding_down = False

    async def start(self, host: str | None, port: int) -> None:
        """
        Listen.

        Args:
            host: an address, or None for all there are.
            port: 0 for any that is free.

        Raises:
            BadInput: the port is taken, or not ours to take; or there is no such address here.
            OutsideFailed: the system refuses for another reason.
        """
        try:
            self._server = await asyncio.get_running_loop().create_server(
                self._listener, host, port, backlog=_BACKLOG
            )
        except OSError as error:
            raise _refused(error, host, port) from error
        self.port = self._server.sockets[0].getsockname()[1]

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._listener.open)

    def wind_down(self) -> None:
        """From now on, each answer ends its connection."""
        self._winding_down = True

    async def stop(self, within_s: float) -> None:
        """Take no further connection, let what is being answered end, and end all the others."""
        self._winding_down = True
        if self._server is not None:
            self._server.close()
        await self._listener.end(within_s)

    async def _answered(self, request: web.BaseRequest) -> web.StreamResponse:
        connection = request.protocol
        assert isinstance(connection, Connection), "the listener makes no other"  # noqa: S101
        try:
            answer = await self._answer(request, connection)
        except ConnectionError:
            # The client is gone; nobody gets this.
            return web.Response()
        finally:
            connection.end()
        if isinstance(answer, Problem):
            answer = self._listener.answer(answer)
        if not self._stays_open(request) or not request.content.is_eof():
            answer.force_close()
        return answer

    async def _answer(
        self, request: web.BaseRequest, connection: Connection
    ) -> web.StreamResponse | Problem:
        head_bytes = sum(len(name) + len(value) + 4 for name, value in request.raw_headers)
        # None where it is missing, as behind CONNECT, which aiohttp's parser takes.
        target = request.raw_path or ""
        head_bytes += len(target)
        if head_bytes > self._limits.head_bytes:
            return Problem(code=Code.HEAD_TOO_LARGE, words="the head of the request is too large")
        if request.version not in _VERSIONS:
            words = "a request is of HTTP/1.1, or of HTTP/1.0"
            return Problem(code=Code.BAD_REQUEST, words=words)
        goes = route(request.method, target)
        if isinstance(goes, Problem):
            return goes
        framed = framing(decoded(request.raw_headers), is_1_0=request.version < (1, 1))
        if isinstance(framed, Problem):
            return framed
        if goes.is_own:
            return await self._own_answer(request, goes)
        if self._listener.is_crowded(connection):
            words = "there are too many connections"
            return Problem(code=Code.CONNECTIONS, words=words, retry_after_s=_RETRY_CROWD_S)
        return await self._passing.answer(
            request,
            connection,
            framed,
            head_bytes=head_bytes,
            wakes=goes.wakes,
            stays_open=self._stays_open(request),
        )

    def _stays_open(self, request: web.BaseRequest) -> bool:
        # aiohttp's parser takes the last trailer of a chunked body for a header of the request that
        # comes next on the connection, who may be another's where a proxy in front shares it.
        chunked = hdrs.TRANSFER_ENCODING in request.headers
        return request.keep_alive and not self._winding_down and not chunked

    async def _own_answer(self, request: web.BaseRequest, goes: Route) -> web.StreamResponse:
        said = await self._own(
            OwnRequest(
                method=request.method,
                path=goes.path,
                query=goes.query,
                authorization=request.headers.get(hdrs.AUTHORIZATION),
            )
        )
        headers = [("Content-Type", said.content_type), ("Server", NAME), *said.headers]
        return web.Response(status=said.status, body=said.body, headers=headers)


def _refused(error: OSError, host: str | None, port: int) -> BadInput | OutsideFailed:
    where = f"{host or ''}:{port}"
    match error.errno:
        case errno.EADDRINUSE:
            return BadInput(
                f"{where} is taken: something listens there already",
                remedy="give another port, or end what listens there",
            )
        case errno.EACCES:
            return BadInput(
                f"{where} may not be listened on: ports below 1024 are the administrator's",
                remedy="give a port from 1024 on",
            )
        case errno.EADDRNOTAVAIL:
            return BadInput(
                f"{where} is no address of this machine",
                remedy="give an address that it has, or none for all of them",
            )
    return OutsideFailed(
        f"{where} cannot be listened on: {error.strerror or error}",
        remedy="give another address and port",
    )
