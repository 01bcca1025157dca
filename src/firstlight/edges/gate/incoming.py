"""
The body of a request on its way in.

A small one is read before its request is let in: then a client that is slow to send does not
occupy the engine, and one that goes is noticed. Of a large one as much is kept, and the rest
stays with its sender until the engine takes it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable

from aiohttp import web

from firstlight.edges.gate.limits import Limits
from firstlight.gateway.answers import Code, Problem
from firstlight.gateway.headers import Framing

_READ_BYTES = 256 * 1024
"""Of one read from a socket."""


class ClientFault(Exception):
    """The client sent what is not taken, or nothing for too long."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.words)
        self.problem = problem


class Incoming:
    """One body."""

    def __init__(
        self,
        request: web.BaseRequest,
        framed: Framing,
        limits: Limits,
        *,
        go_on: Callable[[], None],
    ) -> None:
        """
        Args:
            request: whose body it is.
            framed: what its head says about it.
            limits: of size and time.
            go_on: tells a client that waits for it to send the body.

        Raises:
            ClientFault: it says that it is too large.
        """
        self._content = request.content
        self._framed = framed
        self._limits = limits
        self._go_on = go_on if framed.expects else None
        self._now = asyncio.get_running_loop().time
        self._begun: float | None = None
        self._kept: list[bytes] = []
        self._whole = not framed.has_body
        self.bytes = 0
        """So many came so far."""
        self.ended_s: float | None = None
        """When its end came; None where there is none, or not yet."""
        self.fault: ClientFault | None = None
        """Why it ended early, where it did."""
        if (framed.length_bytes or 0) > limits.body_bytes:
            raise ClientFault(self._too_large())

    @property
    def most_kept_bytes(self) -> int:
        """What is kept of it at most, until it goes on; a client may send it untold, too."""
        if self._whole:
            return self.bytes
        most = self._limits.kept_body_bytes // 2 + _READ_BYTES
        length = self._framed.length_bytes
        return self.bytes + (most if length is None else min(most, length - self.bytes))

    async def gather(self) -> None:
        """
        Read all of a small one, and some of a large one; nothing where the client waits for a word.

        Raises:
            ClientFault: it is not taken.
        """
        if self._go_on is not None:
            return
        while not self._whole and self.bytes < self._limits.kept_body_bytes:
            self._kept.append(await self._piece())
        if self._content.total_bytes > self._limits.body_bytes:
            # Not read yet, but here: nobody is to be woken for it.
            raise self._ends(self._too_large())

    def onward(self) -> bytes | AsyncIterator[bytes] | None:
        """What is given to the engine: none, all of it, or piece by piece."""
        if not self._framed.has_body:
            return None
        if self._whole and not self._framed.chunked:
            return b"".join(self._kept)
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[bytes]:
        if self._go_on is not None:
            self._go_on()
        for piece in self._kept:
            yield piece
        self._kept.clear()
        while not self._whole:
            if piece := await self._piece():
                yield piece

    async def _piece(self) -> bytes:
        try:
            async with asyncio.timeout_at(self._until()):
                piece = await self._content.readany()
        except TimeoutError:
            words = "the body of the request did not come in time"
            raise self._ends(Problem(code=Code.TOO_SLOW, words=words)) from None
        except web.RequestPayloadError:
            words = "the body of the request is no HTTP"
            raise self._ends(Problem(code=Code.BAD_REQUEST, words=words)) from None
        self.bytes += len(piece)
        self._whole = self._content.at_eof()
        if self._whole:
            self.ended_s = self._now()
        if self.bytes > self._limits.body_bytes:
            raise self._ends(self._too_large())
        return piece

    def _until(self) -> float:
        now = self._now()
        self._begun = now if self._begun is None else self._begun
        idle = now + self._limits.body_idle_s
        allowed_s = self._limits.body_idle_s + self.bytes / self._limits.slowest_body_bytes_per_s
        # Who is slow on the average is late, however often a byte comes.
        return min(idle, self._begun + allowed_s)

    def _ends(self, problem: Problem) -> ClientFault:
        self.fault = ClientFault(problem)
        return self.fault

    def _too_large(self) -> Problem:
        words = f"a body may have {self._limits.body_bytes} bytes at most"
        return Problem(code=Code.BODY_TOO_LARGE, words=words)
