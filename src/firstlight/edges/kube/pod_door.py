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
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.pod_reply import How, PodReply

_BAD_GATEWAY, _NOT_FOUND = 502, 404
_LOOK_EVERY_S = 0.05


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
    behind = _Behind(
        api=api, namespace=namespace, pod=pod, port=port, https=https, timeout_ns=timeout_ns
    )
    server = _Door(behind)
    thread = threading.Thread(target=server.serve_forever, args=(_LOOK_EVERY_S,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{server.key}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Behind:
    """Who is behind the door, and how it is reached."""

    api: KubeApi
    namespace: str
    pod: str
    port: int
    https: bool
    timeout_ns: int


class _Door(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behind: _Behind) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.behind = behind
        self.key = f"/{secrets.token_urlsafe(16)}"


class _Passing(BaseHTTPRequestHandler):
    """One request."""

    def __init__(self, request: Any, client: Any, server: _Door) -> None:
        self._door = server
        super().__init__(request, client, server)

    def do_GET(self) -> None:
        self._pass_on(None)

    def do_POST(self) -> None:
        self._pass_on(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _pass_on(self, body: bytes | None) -> None:
        key, to = self._door.key, self._door.behind
        if not self.path.startswith(f"{key}/"):
            self._say(_NOT_FOUND, b"{}")
            return
        kind = self.headers.get("Content-Type")
        how: How = {
            "method": self.command,
            "https": to.https,
            "timeout_ns": to.timeout_ns,
            "headers": {"Content-Type": kind} if kind else {},
        }
        if body is not None:
            how["body"] = body
        try:
            path = self.path.removeprefix(key)
            with to.api.through_pod(to.namespace, to.pod, to.port, path, **how) as reply:
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
