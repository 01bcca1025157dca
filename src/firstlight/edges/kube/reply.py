"""
An answer of an API server that has begun, and its body as it arrives.

What is no success has a body too, which says why; it may come from something behind the
server, so no more of it is read than a sentence needs.
"""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from firstlight.core.units import NS_PER_S

if TYPE_CHECKING:
    import httpx2
    from httpx2.websockets import WebSocketSession

_LONGEST_WORDS = 1 << 20
_WORDS_NS = 10 * NS_PER_S


class Cut(Exception):
    """The connection broke, or fell silent, in the middle of an answer."""


class Reply:
    """An answer that has begun."""

    def __init__(self, response: "httpx2.Response", *, asked_ns: int, answered_ns: int) -> None:
        self.status = response.status_code
        self.content_type = response.headers.get("content-type", "")
        self.asked_ns = asked_ns
        self.answered_ns = answered_ns
        self._response = response
        self._closed = False

    def chunks(self) -> Iterator[bytes]:
        """
        The body as it arrives.

        Raises:
            Cut: it ended too early.
        """
        import httpx2  # noqa: PLC0415

        try:
            yield from self._response.iter_bytes()
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as e:
            raise Cut(str(e) or type(e).__name__) from e
        finally:
            self.close()

    def words(self) -> bytes:
        """
        The body of a refusal, as far as a megabyte and some seconds bring it.

        Raises:
            Cut: it ended too early.
        """
        until_ns = time.monotonic_ns() + _WORDS_NS
        read = bytearray()
        try:
            for chunk in self.chunks():
                read += chunk
                if len(read) > _LONGEST_WORDS or time.monotonic_ns() > until_ns:
                    break
        finally:
            self.close()
        return bytes(read)

    def websocket(self) -> "WebSocketSession":
        """The connection, where the server has switched (101) to speak WebSocket on it."""
        from httpx2.websockets import WebSocketSession  # noqa: PLC0415

        return WebSocketSession(self._response.extensions["network_stream"])

    def close(self) -> None:
        # The connection may serve another question after this one.
        self._closed = True
        with suppress(Exception):
            self._response.close()

    def hang_up(self) -> None:
        """End it from another thread: whoever waits for the next chunk is woken."""
        if self._closed:
            return
        stream = self._response.extensions.get("network_stream")
        wire = stream.get_extra_info("socket") if stream is not None else None
        if isinstance(wire, socket.socket):
            with suppress(OSError):
                # Not the TLS socket's own: that one forgets its TLS while it is being read.
                socket.socket.shutdown(wire, socket.SHUT_RDWR)
