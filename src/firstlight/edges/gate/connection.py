"""
One connection of a client, and what it may not do to us.

aiohttp reads heads and bodies and bounds each of them in size. What it does not bound is time: a
head that comes a byte a minute, and an answer that nobody takes, are held for as long as their
sender likes. So each connection keeps the moments from which it is late, and one look over all of
them now and then ends those that are; a timer for each would cost more than what it guards.
"""

import asyncio
import socket
import struct
from typing import TYPE_CHECKING, Any, Protocol, cast

from aiohttp import web

from firstlight.edges.gate.door import Witness
from firstlight.edges.gate.hangups import Hangups
from firstlight.edges.gate.limits import Limits
from firstlight.gateway.answers import Code, Problem, on_the_wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp.streams import StreamReader

_AT_ONCE = struct.pack("ii", 1, 0)
_NO_HTTP = Problem(code=Code.BAD_REQUEST, words="this is no request of HTTP/1.1")
_SLOW = Problem(code=Code.TOO_SLOW, words="the head of the request did not come in time")
_LARGE = Problem(code=Code.HEAD_TOO_LARGE, words="the head of the request is too large")


class Crowd(Protocol):
    """What a connection shares with all others."""

    limits: Limits
    witness: Witness
    hangups: Hangups
    now: "Callable[[], float]"

    def admit(self, connection: "Connection") -> bool:
        """Whether there is room for it."""
        ...

    def dismiss(self, connection: "Connection") -> None:
        """It is closed."""
        ...

    def answer(self, problem: Problem) -> web.StreamResponse:
        """A problem as an answer."""
        ...


class Connection(web.RequestHandler):
    """A connection with limits."""

    __slots__ = (
        "_closing_since",
        "_crowd",
        "_full_since",
        "_head_bytes",
        "_head_since",
        "_payload",
        "_wire",
        "busy",
        "is_beyond",
        "stalled",
    )

    def __init__(self, server: web.Server, crowd: Crowd, **settings: Any) -> None:
        super().__init__(server, **settings)
        self._crowd = crowd
        self._wire: asyncio.Transport | None = None
        self._payload: StreamReader | None = None
        self._head_since: float | None = None
        self._head_bytes = 0
        self._full_since: float | None = None
        self._closing_since: float | None = None
        self.busy = False
        """Whether a request is being answered."""
        self.is_beyond = False
        """Whether it is one of those that are reserved for the gateway's own routes."""
        self.stalled = False
        """Whether it was ended because its client took nothing."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        wire = cast("asyncio.Transport", transport)
        if not self._crowd.admit(self):
            wire.abort()
            return
        self._wire = wire
        self._head_since = self._crowd.now()
        super().connection_made(wire)
        self._crowd.hangups.watch(_descriptor(wire), self._hung_up)

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._wire is not None:
            self._crowd.hangups.forget(_descriptor(self._wire))
        self._crowd.dismiss(self)
        super().connection_lost(exc)
        self._wire = None

    def data_received(self, data: bytes) -> None:
        if data and not self._may_come(data):
            return
        super().data_received(data)
        payload = self._payload
        if self.busy and payload is not None and not payload.is_eof() and self._messages:
            # What comes behind an unfinished body can only be the parser's complaint about it,
            # of which whoever reads the body is not told.
            payload.set_exception(web.RequestPayloadError("the body is no HTTP"))

    def pause_writing(self) -> None:
        self._full_since = self._crowd.now()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._full_since = None
        super().resume_writing()

    def begin(self, payload: "StreamReader") -> None:
        """A whole head has come; its request is being answered from now on."""
        self.busy = True
        self._payload = payload
        self._head_since, self._head_bytes = None, 0

    def end(self) -> None:
        """The request is answered."""
        self.busy = False
        # What came behind it is the next head, or the beginning of one.
        self._head_since = self._crowd.now() if self._head_bytes else None

    def look(self, now: float) -> None:
        """End what is late."""
        wire, limits = self._wire, self._crowd.limits
        if wire is None:
            return
        if wire.is_closing():
            # What is written last may find nobody to take it, and would be kept for ever.
            self._closing_since = self._closing_since or now
        waited = self._closing_since if self._closing_since is not None else self._full_since
        if waited is not None and now - waited > limits.stall_s:
            self.stalled = True
            self.cut()
        elif self._head_since is not None and now - self._head_since > limits.head_within_s:
            self._refuse(_SLOW if self._head_bytes else None)

    def cut(self) -> None:
        """End it so that no client takes what came for a whole answer."""
        if self._wire is not None:
            wire_socket = self._wire.get_extra_info("socket")
            wire_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
            self._wire.abort()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - it quotes the request
    ) -> web.StreamResponse:
        """What was no request, or a fault of ours; nothing of what was sent is logged or said."""
        if request.writer.output_size > 0:
            raise ConnectionError
        if status == _NO_HTTP.status:
            return self._crowd.answer(_NO_HTTP)
        self.log_exception("a request could not be answered", exc_info=exc)
        return self._crowd.answer(Problem(code=Code.OURS, words="the gateway is at fault"))

    def log_exception(self, *args: Any, **settings: Any) -> None:
        """Of faults of ours; what clients do wrong is their own affair, and no log's."""
        if not isinstance(settings.get("exc_info"), (web.RequestPayloadError, ConnectionError)):
            super().log_exception(*args, **settings)

    def _may_come(self, data: bytes) -> bool:
        if self._payload is not None and not self._payload.is_eof():
            # Of a body, be it one that is only thrown away any more; those have bounds elsewhere.
            return True
        if not self.busy and self._head_since is None:
            self._head_since = self._crowd.now()
        if self._head_bytes > self._crowd.limits.head_bytes:
            if self.busy:
                self.cut()
            else:
                self._refuse(_LARGE)
            return False
        self._head_bytes += len(data)
        return True

    def _refuse(self, problem: Problem | None) -> None:
        wire = self._wire
        if wire is None or wire.is_closing():
            return
        if problem is not None:
            self._crowd.witness.turned_away(problem.code.value)
            wire.write(on_the_wire(problem))
        self._head_since = None
        self.force_close()

    def _hung_up(self) -> None:
        if self._wire is not None and not self._wire.is_closing():
            if self.busy:
                self._wire.abort()
            else:
                # What is still on its way to the client may arrive.
                self._wire.close()


def _descriptor(wire: asyncio.Transport) -> int:
    descriptor: int = wire.get_extra_info("socket").fileno()
    return descriptor
