"""
The other side: requests to the engine, each sent once.

A client of HTTP likes to help: it follows redirects, decodes what is compressed, keeps cookies,
adds headers of its own, and sends a request once more when a connection that it had kept turns
out to be closed. An engine may have begun to work on such a request, so nothing is repeated here,
and nothing else is done to what passes.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Self

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from firstlight.gateway.answers import Code, Problem

_CONNECT_WITHIN_S = 5.0
_KEPT_S = 2.0
"""An idle connection to the engine: less than the 5 s after which vLLM closes its end, so that no
request is sent into one that is being closed."""
_BUFFER_BYTES = 32 * 1024
_HEADER_BYTES = 64 * 1024
_ADDED = frozenset({"Accept", "Accept-Encoding", "Content-Type", "User-Agent"})
Body = bytes | AsyncIterator[bytes] | None


class EngineFault(Exception):
    """The engine gave no answer, or no whole one."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.words)
        self.problem = problem


class _SentOnce(Exception):
    """A request that may have arrived; of no kind that is tried again."""


class EngineSide:
    """An engine behind a gateway."""

    def __init__(self, url: str) -> None:
        """
        Args:
            url: scheme, host and port; what stands behind them is put before each target.
        """
        self._base = url.rstrip("/")
        self._session: aiohttp.ClientSession | None = None
        self._under_way: set[_UnderWay] = set()

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_S),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_WITHIN_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_ADDED,
            auto_decompress=False,
            read_bufsize=_BUFFER_BYTES,
            max_line_size=_HEADER_BYTES,
            max_field_size=_HEADER_BYTES,
            middlewares=(_once,),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    def abandon(self) -> None:
        """Break every exchange that is under way."""
        for under_way in tuple(self._under_way):
            under_way.abandon()

    @contextmanager
    def exchange(self) -> Iterator[None]:
        """
        What the current task does with the engine.

        Raises:
            EngineFault: it was abandoned.
        """
        under_way = _UnderWay(asyncio.current_task())
        self._under_way.add(under_way)
        try:
            yield
        except asyncio.CancelledError:
            if under_way.is_only_abandoned():
                words = "the engine failed while it worked on this request"
                raise EngineFault(Problem(code=Code.ABANDONED, words=words)) from None
            raise
        finally:
            self._under_way.discard(under_way)

    async def ask(
        self, method: str, target: str, headers: list[tuple[str, str]], body: Body
    ) -> aiohttp.ClientResponse:
        """
        Send a request and wait for the head of its answer.

        Args:
            method: as the client wrote it.
            target: path and query, as they were spelled.
            headers: all there are to be, but for the host where it is not among them.
            body: chunked where the headers tell no length.

        Raises:
            EngineFault: there was no answer.
        """
        assert self._session is not None, "an engine side is entered before it is asked"  # noqa: S101
        try:
            return await self._session.request(
                method,
                URL(self._base + target, encoded=True),
                headers=_one_spelling(headers),
                data=body,
                allow_redirects=False,
            )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise _fault(Code.UNREACHABLE, "the engine takes no connection") from error
        except aiohttp.ClientResponseError as error:
            raise _fault(Code.NO_HTTP, "the engine did not answer with HTTP") from error
        except (aiohttp.ClientError, _SentOnce, OSError) as error:
            raise _fault(Code.BROKE_OFF, "the engine closed the connection") from error


class _UnderWay:
    """A task that waits for the engine."""

    def __init__(self, task: "asyncio.Task[None] | None") -> None:
        self._task = task
        self._abandoned = False

    def abandon(self) -> None:
        if self._task is not None and not self._abandoned:
            self._abandoned = True
            self._task.cancel()

    def is_only_abandoned(self) -> bool:
        """Whether it was cancelled by nobody else, such as a client that left."""
        return self._abandoned and self._task is not None and self._task.uncancel() == 0


async def _once(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Make what would be sent again an error that is not."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise _SentOnce from error


def _one_spelling(headers: list[tuple[str, str]]) -> CIMultiDict[str]:
    """Headers of one name in one spelling: of two spellings aiohttp keeps the last one alone."""
    first: dict[str, str] = {}
    return CIMultiDict([(first.setdefault(name.lower(), name), value) for name, value in headers])


def _fault(code: Code, words: str) -> EngineFault:
    return EngineFault(Problem(code=code, words=words))
