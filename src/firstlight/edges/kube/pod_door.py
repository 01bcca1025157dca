"""
The server of a pod as a URL of this host, for as long as somebody asks it.

Who speaks HTTP to an engine on this host can so speak to one in a pod, by the way that needs
no Service: each request is passed on through the API server, and its answer streamed back. It
listens on loopback, on a port of its own and below a path that nobody can guess, for whoever
comes through has the rights of the one who opened it.
"""

import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.pod_reply import How, PodReply

_BAD_GATEWAY, _NOT_FOUND = 502, 404


@contextmanager
def pod_door(
    api: KubeApi, namespace: str, pod: str, port: int, *, https: bool, timeout_ns: int
) -> Iterator[str]:
    """
    Within, the URL under which a pod's server answers.

    Args:
        api: who passes requests on.
        namespace: of the pod.
        pod: its name.
        port: of its server.
        https: whether that one speaks TLS.
        timeout_ns: for one answer.
    """
    key = f"/{secrets.token_urlsafe(16)}"

    class Passing(BaseHTTPRequestHandler):
        """One request."""

        def do_GET(self) -> None:
            self._pass_on(None)

        def do_POST(self) -> None:
            self._pass_on(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

        def _pass_on(self, body: bytes | None) -> None:
            if not self.path.startswith(f"{key}/"):
                self._say(_NOT_FOUND, b"{}")
                return
            kind = self.headers.get("Content-Type")
            how: How = {
                "method": self.command,
                "https": https,
                "timeout_ns": timeout_ns,
                "headers": {"Content-Type": kind} if kind else {},
            }
            if body is not None:
                how["body"] = body
            try:
                path = self.path.removeprefix(key)
                with api.through_pod(namespace, pod, port, path, **how) as reply:
                    self._answer(reply)
            except OutsideFailed as nobody:
                self._say(_BAD_GATEWAY, json.dumps({"error": nobody.message}).encode())

        def _answer(self, reply: PodReply | Refused) -> None:
            if isinstance(reply, Refused):
                self._say(reply.status, json.dumps({"error": reply.words}).encode())
            elif reply.is_stream:
                self._head(reply.status, "text/event-stream")
                while line := reply.line():
                    self.wfile.write(line + b"\n")
                    self.wfile.flush()
            else:
                self._say(reply.status, reply.body())

        def _say(self, status: int, body: bytes) -> None:
            self._head(status, "application/json")
            self.wfile.write(body)

        def _head(self, status: int, kind: str) -> None:
            # The end of the body is the end of the connection: what breaks off shows as that.
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Passing)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{key}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
