"""
An HTTP server that answers as an API server would, from a script.

For moments that a real one has only now and then: an answer that ends in the middle, one
that tells the same twice, a refusal while it starts. The real one is met in tests/cluster.
"""

import json
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


class Script:
    """What is asked is kept; what is answered is decided call by call."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.headers: list[dict[str, str]] = []
        self.says: Callable[[str, dict[str, str]], Answer] = lambda *_: (404, iter([b"{}"]))


@contextmanager
def scripted(
    folder: Path, user: dict[str, object] | None = None
) -> Iterator[tuple[Script, KubeApi]]:
    """A script, its server, and a client of it."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        """Every request is answered in chunks."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            at = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(at.query).items()}
            script.asked.append((at.path, query))
            script.headers.append(dict(self.headers))
            status, pieces = script.says(at.path, query)
            self.send_response(status)
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

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(
        json.dumps(
            {
                "current-context": "here",
                "clusters": [
                    {
                        "name": "c",
                        "cluster": {"server": f"http://127.0.0.1:{server.server_port}"},
                    }
                ],
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
