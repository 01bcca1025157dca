"""
A TCP server that says what it is told to, whatever it is asked.

For answers that no sane engine gives, and that a starting one does: silence,
garbage, half a reply. It keeps what it was asked.
"""

import re
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress


class CannedServer:
    """Answers every connection with the same pieces, a pause between each two."""

    def __init__(self, pieces: Sequence[bytes], *, pause_s: float, hold_open: bool) -> None:
        self.asked: list[bytes] = []
        self._pieces = pieces
        self._pause_s = pause_s
        self._hold_open = hold_open
        self._over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        self._over.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                wire, _ = self._socket.accept()
                with wire, suppress(OSError):
                    self.asked.append(_request(wire))
                    self._answer(wire)

    def _answer(self, wire: socket.socket) -> None:
        for number, piece in enumerate(self._pieces):
            if number:
                time.sleep(self._pause_s)
            wire.sendall(piece)
        if self._hold_open:
            self._over.wait()


def _request(wire: socket.socket) -> bytes:
    """All of a request; whoever closes before it is read resets the connection."""
    read = b""
    while piece := wire.recv(65536):
        read += piece
        head, found, body = read.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        if found and len(body) >= int(length[1] if length else 0):
            break
    return read


@contextmanager
def canned(*pieces: bytes, pause_s: float = 0.0, hold_open: bool = False) -> Iterator[CannedServer]:
    """Serve the pieces while the block runs."""
    server = CannedServer(pieces, pause_s=pause_s, hold_open=hold_open)
    try:
        yield server
    finally:
        server.close()


def reply(status: int, body: bytes, *, kind: bytes = b"application/json") -> bytes:
    """A whole HTTP reply."""
    return b"HTTP/1.1 %d x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (
        status,
        kind,
        len(body),
        body,
    )


def stream(*events: bytes) -> bytes:
    """A reply that is a stream of server-sent events and ends with the connection."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"
    return head + b"".join(b"data: %s\n\n" % event for event in events)
