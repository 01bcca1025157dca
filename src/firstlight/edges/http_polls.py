"""
The questions put to a starting server, each asked once.

When to ask which, and what an answer means, is decided in `measure`. Here a
question is asked, waited for at most so long, and stamped when its answer came:
a server that takes two seconds to say 200 was ready no earlier than we can prove.
"""

import socket
import time
from urllib.parse import urlsplit

from firstlight.core.units import NS_PER_S
from firstlight.edges.first_token import complaint, first_token, served_model, with_key
from firstlight.edges.http_exchange import Answer, Unanswered, exchange, place, what_happened

_OK = 200


class HttpPolls:
    """An OpenAI-style server, seen from outside."""

    def port(self, url: str, *, timeout_ns: int) -> Answer:
        """Whether anybody accepts a connection."""
        at = urlsplit(url)
        asked_ns = time.monotonic_ns()
        try:
            with socket.create_connection(place(at), timeout=timeout_ns / NS_PER_S) as held:
                answered_ns = time.monotonic_ns()
                _refuse_itself(held)
        except OSError as broken:
            return Answer(
                asked_ns=asked_ns,
                answered_ns=time.monotonic_ns(),
                ok=False,
                words=what_happened(broken, at, timeout_ns),
            )
        return Answer(
            asked_ns=asked_ns,
            answered_ns=answered_ns,
            ok=True,
            words=f"port {place(at)[1]} accepts connections",
        )

    def health(self, url: str, *, timeout_ns: int) -> Answer:
        """Whether GET /health answers 200."""
        return _get(url, "/health", timeout_ns=timeout_ns, api_key=None)

    def models(self, url: str, *, timeout_ns: int, api_key: str | None) -> Answer:
        """Whether GET /v1/models answers 200, and with which model first."""
        return _get(url, "/v1/models", timeout_ns=timeout_ns, api_key=api_key)

    def first_token(
        self, url: str, *, timeout_ns: int, api_key: str | None, model: str | None, chat: bool
    ) -> Answer:
        """Whether one token comes back from /v1/completions, or from the chat route."""
        return first_token(
            url, model=model, chat=chat, headers=with_key(api_key), timeout_ns=timeout_ns
        )


def _refuse_itself(held: socket.socket) -> None:
    """
    Take a connection to itself for what it is: nobody listens.

    Where the port lies among those the system gives to connections, TCP connects one that gets
    the very port it asks for (RFC 9293, simultaneous open); one of 28,000 polls on Linux.
    """
    if held.getsockname() == held.getpeername():
        raise ConnectionRefusedError


def _get(url: str, path: str, *, timeout_ns: int, api_key: str | None) -> Answer:
    asked_ns = time.monotonic_ns()
    try:
        with exchange("GET", url, path, timeout_ns=timeout_ns, headers=with_key(api_key)) as reply:
            body = reply.body()
    except Unanswered as nothing:
        return Answer(
            asked_ns=asked_ns,
            answered_ns=time.monotonic_ns(),
            ok=False,
            words=f"GET {path}: {nothing}",
        )
    ok = reply.status == _OK
    words = f"GET {path} answered {reply.status}"
    return Answer(
        asked_ns=asked_ns,
        answered_ns=reply.answered_ns,
        ok=ok,
        words=words if ok else f"{words}: {complaint(body)}",
        status=reply.status,
        model=served_model(body) if ok else None,
    )
