"""
A request to the engine and its answer back, piece by piece.

What holds: a request goes to the engine once or not at all; each piece of an answer goes on as it
comes, and no further piece is taken before the client took enough of the last; when the client
goes, the engine sees its own connection closed; and an answer that breaks off is seen to break
off, never taken for a whole one.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from aiohttp import web

from firstlight.edges.gate.connection import Connection
from firstlight.edges.gate.door import Door, End, Exchanged, Witness
from firstlight.edges.gate.engine_side import EngineFault, EngineSide
from firstlight.edges.gate.incoming import ClientFault, Incoming
from firstlight.edges.gate.limits import Limits
from firstlight.edges.gate.passed_answer import PassedAnswer
from firstlight.gateway import headers
from firstlight.gateway.answers import Code, Problem
from firstlight.gateway.headers import Framing

_GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"
_SWITCHING = 101


class PassThrough:
    """The way to the engine."""

    def __init__(self, *, door: Door, engine: EngineSide, limits: Limits, witness: Witness) -> None:
        self._door = door
        self._engine = engine
        self._limits = limits
        self._witness = witness

    async def answer(
        self,
        request: web.BaseRequest,
        connection: Connection,
        framed: Framing,
        *,
        head_bytes: int,
        wakes: bool,
        stays_open: bool,
    ) -> web.StreamResponse | Problem:
        """
        Let a request in and pass it on.

        Args:
            request: one with a data route.
            connection: on which it came.
            framed: what its head says about its body.
            head_bytes: the size of that head, which is kept while it waits.
            wakes: whether it waits until the engine is awake; it goes past the door otherwise.
            stays_open: whether the connection may take another request.
        """

        def go_on() -> None:
            if connection.transport is not None:
                connection.transport.write(_GO_ON)

        try:
            body = Incoming(request, framed, self._limits, go_on=go_on)
            await body.gather()
        except ClientFault as fault:
            return fault.problem
        kept_bytes = head_bytes + body.most_kept_bytes
        refusal = await self._door.enter(kept_bytes) if wakes else None
        if refusal is not None:
            return Problem(
                code=refusal.why, words=refusal.words, retry_after_s=refusal.retry_after_s
            )
        exchange = _Exchange(request, connection, body, stays_open=stays_open)
        try:
            return await exchange.carried_out(self._engine, framed)
        finally:
            if wakes:
                self._door.leave()
            self._witness.passed(exchange.told())


class _Exchange:
    """One request with the engine."""

    def __init__(
        self,
        request: web.BaseRequest,
        connection: Connection,
        body: Incoming,
        *,
        stays_open: bool,
    ) -> None:
        self._request = request
        self._connection = connection
        self._body = body
        self._stays_open = stays_open
        self._now = asyncio.get_running_loop().time
        self._begun_s = self._now()
        self._end = End.CLIENT_GONE
        self._status: int | None = None
        self._response_bytes = 0
        self._first_byte_s: float | None = None

    async def carried_out(
        self, engine: EngineSide, framed: Framing
    ) -> web.StreamResponse | Problem:
        """Send it and pass its answer on; a problem where nothing of an answer went out."""
        passed: PassedAnswer | None = None
        request = self._request
        try:
            with engine.exchange():
                theirs = await engine.ask(
                    request.method,
                    request.raw_path,
                    headers.onward(headers.decoded(request.raw_headers), framed),
                    self._body.onward(),
                )
                try:
                    if theirs.status == _SWITCHING:
                        words = "the engine changed the protocol, which nobody asked it to"
                        raise EngineFault(Problem(code=Code.NO_HTTP, words=words))
                    self._status = theirs.status
                    passed = PassedAnswer(
                        status=theirs.status,
                        reason=theirs.reason or "",
                        pairs=headers.decoded(theirs.raw_headers),
                        stays_open=self._stays_open,
                    )
                    await self._stream(theirs, passed)
                finally:
                    # A whole one has given its connection back already; any other is cut off.
                    theirs.close()
        except EngineFault as fault:
            problem = self._whose(fault.problem)
        except ConnectionError:
            # The client is gone, and its going was not noticed before something was written.
            return passed or web.Response()
        else:
            self._end = End.WHOLE
            return passed
        if passed is None or not passed.begun:
            return problem
        self._break_off(passed)
        return passed

    def told(self) -> Exchanged:
        """What of it counts."""
        return Exchanged(
            method=self._request.method,
            end=End.CLIENT_SLOW if self._connection.stalled else self._end,
            status=self._status,
            request_bytes=self._body.bytes,
            response_bytes=self._response_bytes,
            first_byte_s=self._first_byte_s,
            lasted_s=self._now() - self._begun_s,
        )

    async def _stream(self, theirs: aiohttp.ClientResponse, passed: PassedAnswer) -> None:
        try:
            await passed.prepare(self._request)
        except ValueError as error:
            words = "the engine's answer has characters that have no place in a header"
            raise EngineFault(Problem(code=Code.NO_HTTP, words=words)) from error
        content = theirs.content
        if not content.total_bytes:
            passed.send_head()
        with _told_of_its_end(theirs):
            await self._pieces(content, passed)
        await passed.write_eof()

    async def _pieces(self, content: aiohttp.StreamReader, passed: PassedAnswer) -> None:
        while True:
            try:
                piece = await content.readany()
            except (aiohttp.ClientError, OSError) as error:
                words = "the engine broke off its answer"
                raise EngineFault(Problem(code=Code.BROKE_OFF, words=words)) from error
            if not piece:
                return
            if self._first_byte_s is None:
                # What a client takes to send its body is its own.
                since_s = max(self._begun_s, self._body.ended_s or self._begun_s)
                self._first_byte_s = self._now() - since_s
            self._response_bytes += len(piece)
            await passed.write(piece)

    def _whose(self, problem: Problem) -> Problem:
        """Whose fault it was that it ended: a body that breaks off ends it too."""
        fault = self._body.fault
        if fault is not None:
            slow = fault.problem.code is Code.TOO_SLOW
            self._end = End.CLIENT_SLOW if slow else End.CLIENT_WRONG
            return fault.problem
        abandoned = problem.code is Code.ABANDONED
        self._end = End.ABANDONED if abandoned else End.ENGINE_FAILED
        return problem

    def _break_off(self, passed: PassedAnswer) -> None:
        if passed.is_framed:
            # What was written arrives, and is seen to lack its end.
            self._connection.force_close()
        else:
            self._connection.cut()


@contextmanager
def _told_of_its_end(theirs: aiohttp.ClientResponse) -> Iterator[None]:
    """
    See to it that whoever reads an answer hears of the end of its connection.

    aiohttp's parser forgets the body when it meets chunks that are none, and who reads that would
    then wait for ever.
    """
    connection, content = theirs.connection, theirs.content
    closed = None
    if connection is not None and connection.protocol is not None:
        closed = connection.protocol.closed

    def tell(_: "asyncio.Future[None]") -> None:
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection is closed"))

    if closed is not None:
        # The connection may be kept, and be reset when nobody looks; once each, however often it
        # is used.
        closed.remove_done_callback(_heard)
        closed.add_done_callback(_heard)
        closed.add_done_callback(tell)
    try:
        yield
    finally:
        if closed is not None:
            closed.remove_done_callback(tell)


def _heard(closed: "asyncio.Future[None]") -> None:
    """Take note of how a connection ended, or asyncio says that nobody did."""
    closed.exception()
