"""
A store that is not well: a proxy before a real one that spoils some of its answers.

Each kind is one that S3 and what lies between have shown: an answer of 500, 503 or 403, a body that
ends in the middle, a promise of more bytes than come, no answer at all.
"""

import http.client
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

Spoils = Callable[[BaseHTTPRequestHandler, bytes], bool]
"""Answers in the store's place, given the store's body; whether it did."""
_ERROR = b"<Error><Code>%s</Code><Message>said by the test</Message></Error>"


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True
    endpoint: str
    spoils: Spoils

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that went away: it gave up on what we spoiled."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Proxy

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _pass(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        at = urlsplit(self.server.endpoint)
        onward = http.client.HTTPConnection(at.hostname or "", at.port)
        headers = {name: value for name, value in self.headers.items() if name != "Host"}
        onward.request(self.command, self.path, body or None, headers)
        answer = onward.getresponse()
        data = answer.read()
        if self.server.spoils(self, data):
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {"transfer-encoding", "connection", "content-length", "date"}:
                self.send_header(name, value)
        size = answer.getheader("Content-Length") or str(len(data))
        self.send_header("Content-Length", size)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _pass  # noqa: N815 - as the library has it


@contextmanager
def faulty(endpoint: str, spoils: Spoils) -> Iterator[str]:
    """The URL of a proxy before a store."""
    with _Proxy(("127.0.0.1", 0), _Handler) as proxy:
        proxy.endpoint, proxy.spoils = endpoint, spoils
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{proxy.server_port}"
        finally:
            proxy.shutdown()


def answers(status: int, code: str, *, times: int = 10**9) -> Spoils:
    """With an error, so many times."""
    left = [times]

    def spoil(ask: BaseHTTPRequestHandler, _: bytes) -> bool:
        if not left[0]:
            return False
        left[0] -= 1
        data = _ERROR % code.encode()
        ask.send_response(status)
        ask.send_header("Content-Length", str(len(data)))
        ask.end_headers()
        if ask.command != "HEAD":
            ask.wfile.write(data)
        return True

    return spoil


def cuts(*, times: int = 10**9) -> Spoils:
    """The bytes of an archive in the middle, so many times."""
    left = [times]

    def spoil(ask: BaseHTTPRequestHandler, data: bytes) -> bool:
        if ask.command != "GET" or "/archives/" not in ask.path or not left[0]:
            return False
        left[0] -= 1
        ask.send_response(206)
        ask.send_header("Content-Length", str(len(data)))
        ask.send_header("Content-Range", f"bytes 0-{len(data) - 1}/{len(data)}")
        ask.send_header("ETag", '"x"')
        ask.send_header("Last-Modified", "Mon, 30 Nov 2026 10:00:00 GMT")
        ask.end_headers()
        ask.wfile.write(data[: len(data) // 2])
        ask.close_connection = True
        return True

    return spoil


def says_nothing(seconds: float) -> Spoils:
    """For so long, to whoever asks for an archive."""

    def spoil(ask: BaseHTTPRequestHandler, _: bytes) -> bool:
        if "/archives/" in ask.path:
            time.sleep(seconds)
        return False

    return spoil
