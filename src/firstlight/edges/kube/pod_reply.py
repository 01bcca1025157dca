"""
What a server in a pod answers, asked through the API server.

`pods/NAME:PORT/proxy/...` reaches a port without a Service, an Ingress or a tunnel: the
API server passes the request on, and streams the answer back. It keeps the
Authorization header for itself, so a server that asks for a key cannot be given it
this way. Its own refusals (no right, nobody listens on that port) come in the shape of
its other answers, which is how they are told from the pod's.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypedDict, Unpack

from firstlight.core.units import NS_PER_S
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.paths import path_of
from firstlight.edges.kube.wire import Cut, KubeWire, Reply

_LONGEST_BYTES = 1 << 20


class How(TypedDict, total=False):
    """How to ask, where it is not a plain GET."""

    method: str
    body: bytes | None
    headers: Mapping[str, str]
    https: bool
    timeout_ns: int
    """How long the server may say nothing; 30 s where it is not given."""


class PodReply:
    """An answer that has begun; its body follows, line by line or whole."""

    def __init__(self, reply: Reply) -> None:
        self.status = reply.status
        self.asked_ns = reply.asked_ns
        self.answered_ns = reply.answered_ns
        self.is_stream = "event-stream" in reply.content_type
        self.broken: str | None = None
        """Why the body ended too early; None where it did not."""
        self._lines = self._split(reply)
        self._line_ns = reply.answered_ns

    @property
    def line_ns(self) -> int:
        """The monotonic moment at which the last line was here."""
        return self._line_ns

    def line(self) -> bytes:
        """The next line that is not empty, without its end; empty at the end of the body."""
        return next(self._lines, b"")

    def body(self) -> bytes:
        """The rest of the body, at most a megabyte of it."""
        read = bytearray()
        while len(read) < _LONGEST_BYTES and (line := self.line()):
            read += line + b"\n"
        return bytes(read)

    def drain(self) -> None:
        """Let the server finish; hanging up would be logged as an abort."""
        for _ in self._lines:
            pass

    def _split(self, reply: Reply) -> Iterator[bytes]:
        rest = b""
        try:
            for chunk in reply.chunks():
                self._line_ns = time.monotonic_ns()
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (line for line in lines if line.strip())
        except Cut as e:
            self.broken = str(e)
        if rest.strip():
            yield rest


@contextmanager
def ask_pod(
    wire: KubeWire, namespace: str, pod: str, port: int, path: str, **how: Unpack[How]
) -> Iterator[PodReply | Refused]:
    """
    Ask a server in a pod, once.

    What is no success is a `Refused`, whose `own` tells who said it: the API server (no
    right, nobody listens), or the pod's server.

    Raises:
        OutsideFailed: the API server cannot be reached.
    """
    target = f"https:{pod}:{port}" if how.get("https") else f"{pod}:{port}"
    with wire.open(
        how.get("method", "GET"),
        path_of("pods", namespace=namespace, name=target, part="proxy") + path,
        body=how.get("body"),
        headers={"Accept-Encoding": "identity", **how.get("headers", {})},
        silence_ns=how.get("timeout_ns", 30 * NS_PER_S),
        patience_ns=0,
        behind_is_an_answer=True,
    ) as reply:
        yield PodReply(reply) if isinstance(reply, Reply) else reply
