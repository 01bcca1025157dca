"""
One HTTP exchange with a server that may not be there yet.

Refusals, resets, silence and garbage are what a starting engine answers with, so
they are values here, not exceptions. No proxy is used and no redirect followed:
the request goes to the address given or nowhere. Certificates are not verified on
loopback, where the server is our own child and its certificate is for elsewhere.
"""

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from firstlight.core.units import NS_PER_S

_LONGEST_BYTES = 1 << 20
_DRAIN_NS = 1_000_000_000
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back to one question, or that nothing did."""

    asked_ns: int
    """The monotonic moment before anything was sent."""
    answered_ns: int
    """The monotonic moment at which the answer, or its absence, was known."""
    ok: bool
    words: str
    """For people and as evidence: "GET /health answered 200"."""
    status: int | None = None
    """The HTTP status; None where there was no HTTP answer."""
    model: str | None = None
    """The id the server gives its model; None where it was not asked, or has none."""
    own: bool = False
    """Whether somebody in between says it, or nobody does, and not the server itself."""


class Unanswered(Exception):
    """There was no HTTP answer; the text says what there was."""


class Exchange:
    """A request that has been answered with a status line; the body follows."""

    def __init__(
        self,
        wire: socket.socket,
        response: http.client.HTTPResponse,
        *,
        until_ns: int,
    ) -> None:
        self._wire = wire
        self._response = response
        self._until_ns = until_ns
        self.answered_ns = time.monotonic_ns()
        self.status = response.status
        self.is_stream = "event-stream" in (response.getheader("content-type") or "")

    def line(self) -> bytes:
        """The next line of the body, without its end; empty at the end of the body too."""
        return self._response.readline(_LONGEST_BYTES) if self._hurry() else b""

    def body(self) -> bytes:
        """The rest of the body, at most a megabyte of it."""
        read = bytearray()
        while len(read) < _LONGEST_BYTES and self._hurry():
            piece = self._response.read1(_LONGEST_BYTES)
            if not piece:
                break
            read += piece
        return bytes(read)

    def drain(self) -> None:
        """Let the server finish, for a second; hanging up would be logged as an abort."""
        self._until_ns = time.monotonic_ns() + _DRAIN_NS
        with suppress(OSError, http.client.HTTPException):
            while self.line():
                pass

    def _hurry(self) -> bool:
        """Leave the next read only the time that is left; False where all has been read."""
        if self._response.isclosed():
            return False
        left_s = (self._until_ns - time.monotonic_ns()) / NS_PER_S
        if left_s <= 0:
            raise TimeoutError
        self._wire.settimeout(left_s)
        return True


@contextmanager
def exchange(
    method: str,
    url: str,
    path: str,
    *,
    timeout_ns: int,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> Iterator[Exchange]:
    """
    Ask, and hand over the answer as soon as its status is known.

    Raises:
        Unanswered: inside the block too, when the body breaks off or the time is up.
    """
    at = urlsplit(url)
    until_ns = time.monotonic_ns() + timeout_ns
    connection = _connection(at, timeout_s=timeout_ns / NS_PER_S)
    try:
        connection.request(
            method,
            at.path.rstrip("/") + path,
            body=body,
            headers={"Connection": "close", **(headers or {})},
        )
        # Taken before the response, which lets the connection forget its socket.
        wire = connection.sock
        yield Exchange(wire, connection.getresponse(), until_ns=until_ns)
    except (OSError, http.client.HTTPException) as broken:
        raise Unanswered(what_happened(broken, at, timeout_ns)) from broken
    finally:
        connection.close()


def place(at: SplitResult) -> tuple[str, int]:
    """The host and port a URL means."""
    return at.hostname or "127.0.0.1", at.port or _PORTS.get(at.scheme, 80)


def what_happened(broken: Exception, at: SplitResult, timeout_ns: int) -> str:
    """A foreign exception in our words."""
    host, port = place(at)
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    match broken:
        case ConnectionRefusedError():
            return f"nobody listens on {where}"
        case TimeoutError():
            return f"no answer from {where} within {timeout_ns / NS_PER_S:g} s"
        case socket.gaierror():
            return f"the host name {host} is unknown"
        case http.client.RemoteDisconnected() | ConnectionResetError():
            return f"{where} closed the connection without an answer"
        case http.client.HTTPException():
            return f"{where} does not answer with HTTP"
        case OSError():
            return f"{where}: {broken.strerror or broken}"
        case _:
            return f"{where}: {broken}"


def _connection(at: SplitResult, *, timeout_s: float) -> http.client.HTTPConnection:
    host, port = place(at)
    if at.scheme != "https":
        return http.client.HTTPConnection(host, port, timeout=timeout_s)
    context = ssl.create_default_context()
    if _is_loopback(host):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=context)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
