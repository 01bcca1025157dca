"""
An HTTP server that answers as an API server would, from a script.

For moments that a real one has only now and then: an answer that ends in the middle, one
that tells the same twice, a refusal while it starts. The real one is met in tests/cluster.
"""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from firstlight.edges.kube.api import KubeApi


class Cut(Exception):
    """Break the connection here."""


Answer = tuple[int, Iterator[bytes]]
SWITCHED = 101
"""The status of an answer whose pieces are WebSocket messages."""


def frame(opcode: int, payload: bytes) -> bytes:
    """One unmasked WebSocket frame, as servers send them."""
    length = len(payload)
    sized = bytes([length]) if length < 126 else b"\x7e" + length.to_bytes(2)
    return bytes([0x80 | opcode]) + sized + payload


class Script:
    """What is asked is kept; what is answered is decided call by call."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.commands: list[list[str]] = []
        self.says: Callable[[str, dict[str, str]], Answer] = lambda *_: (404, iter([b"{}"]))
        self.content_type = "application/json"


@contextmanager
def scripted(
    folder: Path,
    user: dict[str, object] | None = None,
    *,
    tls: ssl.SSLContext | None = None,
    cluster: dict[str, object] | None = None,
) -> Iterator[tuple[Script, KubeApi]]:
    """A script, its server, and a client of it; over TLS where it is given how."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        """Every request is answered in chunks."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            at = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(at.query).items()}
            script.asked.append((at.path, query))
            script.headers.append(dict(self.headers))
            script.commands.append(parse_qs(at.query).get("command", []))
            script.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            status, pieces = script.says(at.path, query)
            if status == SWITCHED:
                self._switch(pieces)
                return
            self.send_response(status)
            self.send_header("Content-Type", script.content_type)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            with suppress(OSError):
                try:
                    for piece in pieces:
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                        self.wfile.flush()
                except Cut:
                    self.close_connection = True
                    return
                self.wfile.write(b"0\r\n\r\n")

        do_POST = do_GET  # noqa: N815 - the name is the server's

        def _switch(self, messages: Iterator[bytes]) -> None:
            """Speak WebSocket: each message in one frame, then a word of goodbye."""
            self.send_response(SWITCHED)
            for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade")):
                self.send_header(name, value)
            self.end_headers()
            self.close_connection = True
            with suppress(OSError, Cut):
                for message in messages:
                    self.wfile.write(frame(2, message))
                    self.wfile.flush()
                self.wfile.write(frame(8, b"\x03\xe8"))
                self.wfile.flush()
                self.rfile.read(1)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    at = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(
        json.dumps(
            {
                "current-context": "here",
                "clusters": [{"name": "c", "cluster": {"server": at, **(cluster or {})}}],
                "users": [{"name": "u", "user": user or {"token": "t"}}],
                "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
            }
        )
    )
    try:
        with KubeApi.open(kubeconfig=str(kubeconfig)) as api:
            yield script, api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
