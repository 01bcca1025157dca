"""
A kubelet of which a test decides what its logs are and how they end.

The real API server passes `pods/log` on to the node that the pod is bound to. A node
object may name any port, so the answers come from here: a hundred megabytes, half a
line and a closed connection, the sentence of a runtime that has lost the file. The
server's own streaming, refusals and errors stay real.
"""

import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

Wanted = dict[str, str]
"""`container`, `pod` and the query's parameters."""
Pieces = Callable[[Wanted], Iterator[bytes]]
"""What to send of a log; a raised `CutHere` breaks the connection there."""


class CutHere(Exception):
    """End the connection as a crash would."""


class FakeKubelet:
    """The port it listens on, and what it was asked."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.port = server.server_port
        self.asked: list[Wanted] = []
        self.says: Pieces = lambda _: iter(())

    def node(self, name: str) -> dict[str, object]:
        """The status of a node whose kubelet this is."""
        return {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self.port}},
            "conditions": [{"type": "Ready", "status": "True", "reason": f"{name} is played"}],
        }


@contextmanager
def fake_kubelet(folder: Path) -> Iterator[FakeKubelet]:
    """Listens on loopback, with a certificate nobody knows; the API server does not ask."""
    key, certificate = folder / "kubelet.key", folder / "kubelet.crt"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=kubelet", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )

    class Handler(BaseHTTPRequestHandler):
        """Answers `/containerLogs/NAMESPACE/POD/CONTAINER`."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            at = urlsplit(self.path)
            _, _, _, pod, container = at.path.split("/")
            query = {name: values[0] for name, values in parse_qs(at.query).items()}
            wanted = {"pod": pod, "container": container, **query}
            kubelet.asked.append(wanted)
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            with suppress(OSError):
                try:
                    for piece in kubelet.says(wanted):
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                        self.wfile.flush()
                except CutHere:
                    self.close_connection = True
                    return
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            """Nothing: what was asked is kept."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    kubelet = FakeKubelet(server)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield kubelet
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
