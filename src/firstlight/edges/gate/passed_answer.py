"""
An answer of the engine's on its way to the client, written as it came.

aiohttp's own responses add what a server of its own would say (a date, a name, a type); this one
adds only what frames the body for this connection.
"""

from aiohttp import hdrs, web
from aiohttp.abc import AbstractStreamWriter
from multidict import CIMultiDict

from firstlight.gateway import headers

_WITHOUT_BODY = frozenset({204, 304})


class PassedAnswer(web.StreamResponse):
    """One that is passed on."""

    def __init__(
        self,
        *,
        status: int,
        reason: str,
        pairs: list[tuple[str, str]],
        stays_open: bool,
    ) -> None:
        """
        Args:
            status: the engine's.
            reason: the engine's words for it.
            pairs: its headers as they came.
            stays_open: whether the connection may take another request.
        """
        super().__init__(status=status, reason=reason)
        self._pairs = pairs
        self._stays_open = stays_open
        self._out: AbstractStreamWriter | None = None
        self.is_framed = True
        """Whether its client can tell a whole one from one that was cut."""

    @property
    def keep_alive(self) -> bool:
        return self._stays_open

    def force_close(self) -> None:
        self._stays_open = False

    @property
    def begun(self) -> bool:
        """Whether anything of it may have gone out."""
        return self._out is not None

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        if self._out is not None:
            return self._out
        out = request.writer
        head = CIMultiDict(headers.back(self._pairs))
        length, is_1_1 = headers.length_of(self._pairs), request.version >= (1, 1)
        bodiless = request.method == hdrs.METH_HEAD or self.status in _WITHOUT_BODY
        if length is not None and self.status != 204:  # noqa: PLR2004 - it has none (RFC 9110, 8.6)
            head.add(hdrs.CONTENT_LENGTH, str(length))
        if bodiless:
            out.length = 0
        elif length is not None:
            out.length = length
        elif is_1_1:
            head.add(hdrs.TRANSFER_ENCODING, "chunked")
            out.enable_chunking()
        else:
            self.is_framed = self._stays_open = False
        if not self._stays_open and is_1_1:
            head.add(hdrs.CONNECTION, "close")
        elif self._stays_open and not is_1_1:
            head.add(hdrs.CONNECTION, "keep-alive")
        version = f"HTTP/{request.version.major}.{request.version.minor}"
        await out.write_headers(f"{version} {self.status} {self.reason}", head)
        self._out = out
        return out

    def send_head(self) -> None:
        """Send it now, before there is a body."""
        if self._out is not None:
            self._out.send_headers()

    async def write(self, data: bytes) -> None:  # type: ignore[override]
        if self._out is not None:
            await self._out.write(data)

    async def write_eof(self, data: bytes = b"") -> None:
        if self._out is not None:
            await self._out.write_eof(data)
