"""
What a server in a pod answers, asked through the API server.

`pods/NAME:PORT/proxy/...` reaches a port without a Service, an Ingress or a tunnel: the
API server passes the request on, and streams the answer back. It keeps the
Authorization header for itself, so a server that asks for a key cannot be given it
this way. Its own refusals (no right, nobody listens on that port) come in the shape of
its other answers, which is how they are told from the pod's.

A server in a pod is anybody's: what it says is bounded in bytes, and in time from the
question to the last byte, also where it drips.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypedDict, Unpack

from firstlight.core.units import NS_PER_S
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.paths import path_of
from firstlight.edges.kube.reply import Cut, Reply
from firstlight.edges.kube.wire import KubeWire

_LONGEST_BYTES = 1 << 20
_TIMEOUT_NS = 30 * NS_PER_S
_DRAIN_NS = NS_PER_S


class How(TypedDict, total=False):
    """How to ask, where it is not a plain GET."""

    method: str
    body: bytes | None
    headers: Mapping[str, str]
    https: bool
    timeout_ns: int
    """From the question to the last byte of the answer; 30 s where it is not given."""


class PodReply:
    """An answer that has begun; its body follows, line by line or whole."""

    def __init__(self, reply: Reply, *, timeout_ns: int) -> None:
        self.status = reply.status
        self.asked_ns = reply.asked_ns
        self.answered_ns = reply.answered_ns
        self.is_stream = "event-stream" in reply.content_type
        self.broken: str | None = None
        """Why the body ended too early; None where it did not."""
        self._reply = reply
        self._chunks = reply.chunks()
        self._timeout_ns = timeout_ns
        self._rest = bytearray()
        self._timer = self._hanging_up(reply.asked_ns + timeout_ns)

    def line(self) -> bytes:
        """
        The next line that is not empty, without its end; empty at the end of the body.

        Of one that never ends, a megabyte.
        """
        while self._has_a_line() or self._rest:
            end = self._rest.find(b"\n", 0, _LONGEST_BYTES) + 1 or _LONGEST_BYTES
            line = bytes(self._rest[:end]).removesuffix(b"\n")
            del self._rest[:end]
            if line.strip():
                return line
        return b""

    def body(self) -> bytes:
        """The rest of the body, at most a megabyte of it."""
        while len(self._rest) < _LONGEST_BYTES and self._more():
            pass
        read = bytes(self._rest[:_LONGEST_BYTES])
        self._rest.clear()
        return read

    def drain(self) -> None:
        """Let the server finish, for a second; hanging up would be logged as an abort."""
        self._timer.cancel()
        self._timer = self._hanging_up(time.monotonic_ns() + _DRAIN_NS)
        while self._more():
            self._rest.clear()

    def close(self) -> None:
        self._timer.cancel()

    def _has_a_line(self) -> bool:
        """Read until there is an end of a line, or as much as a line may have."""
        searched = 0
        while self._rest.find(b"\n", searched) < 0 and len(self._rest) < _LONGEST_BYTES:
            searched = len(self._rest)
            if not self._more():
                return False
        return True

    def _more(self) -> bool:
        """Read on; False at the end of the body, whatever ended it."""
        try:
            chunk = next(self._chunks, None)
        except Cut as e:
            late = time.monotonic_ns() >= self._reply.asked_ns + self._timeout_ns
            self.broken = f"no end within {self._timeout_ns / NS_PER_S:g} s" if late else str(e)
            return False
        self._rest += chunk or b""
        return chunk is not None

    def _hanging_up(self, at_ns: int) -> threading.Timer:
        timer = threading.Timer(max(0, at_ns - time.monotonic_ns()) / NS_PER_S, self._reply.hang_up)
        timer.daemon = True
        timer.start()
        return timer


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
    timeout_ns = how.get("timeout_ns", _TIMEOUT_NS)
    with wire.open(
        how.get("method", "GET"),
        path_of("pods", namespace=namespace, name=target, part="proxy") + path,
        body=how.get("body"),
        headers={"Accept-Encoding": "identity", **how.get("headers", {})},
        silence_ns=timeout_ns,
        patience_ns=0,
        behind_is_an_answer=True,
    ) as reply:
        if isinstance(reply, Refused):
            yield reply
            return
        answer = PodReply(reply, timeout_ns=timeout_ns)
        try:
            yield answer
        finally:
            answer.close()
