"""
One connection's worth of questions to an API server, and patience with it.

A server that was there and is gone for a moment (a restart, a cut connection) is
waited for, with growing pauses; one that never answered is not. Only questions that
change nothing are asked again once they were sent. While a server comes up it may
refuse what it allows a second later, so a no right after trouble is asked again too.
"""

import random
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from firstlight.core.units import NS_PER_S
from firstlight.edges.kube.answers import (
    BUSY,
    FORBIDDEN,
    UNAUTHORIZED,
    Params,
    Refused,
    asked,
    busy,
    not_accepted,
    refused,
    unreachable,
)
from firstlight.edges.kube.client import client_of, credentials_in_our_words
from firstlight.edges.kube.clock import Difference, difference
from firstlight.edges.kube.config import Access
from firstlight.edges.kube.reply import Cut, Reply

if TYPE_CHECKING:
    import httpx2

PATIENCE_NS = 45 * NS_PER_S
"""How long a server that was there is waited for."""
_AFTERMATH_NS = 15 * NS_PER_S
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 3.0
_CONNECT_S = 10.0
_READ_NS = 30 * NS_PER_S
_SUCCESS = frozenset({101, *range(200, 300)})
_NEVER = threading.Event()


class Pauses:
    """Growing pauses between tries, with a cap, and not all at once with everybody else's."""

    def __init__(self) -> None:
        self._next_s = _FIRST_PAUSE_S

    def next_s(self) -> float:
        pause = self._next_s
        self._next_s = min(pause * 2, _LONGEST_PAUSE_S)
        return pause * random.uniform(0.7, 1.0)  # noqa: S311


class KubeWire:
    """A client of one API server; safe to use from several threads."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self._client = client_of(access)
        self._answered = False
        self._trouble_ns: int | None = None
        self._difference: Difference | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        self._client.close()

    @property
    def clock_difference(self) -> Difference | None:
        """The server's clock against ours; None before it has said its time."""
        return self._difference

    def read(
        self,
        method: str,
        path: str,
        params: Params | None = None,
        *,
        body: bytes | None = None,
        content_type: str = "application/json",
    ) -> bytes | Refused:
        """
        The whole answer.

        Raises:
            OutsideFailed: there is none, and will not be.
        """
        began_ns = time.monotonic_ns()
        pauses = Pauses()
        while True:
            with self.open(method, path, params, body=body, content_type=content_type) as reply:
                if isinstance(reply, Refused):
                    return reply
                try:
                    return b"".join(reply.chunks())
                except Cut as e:
                    self.note_trouble()
                    if method != "GET" or time.monotonic_ns() - began_ns > PATIENCE_NS:
                        raise unreachable(self.access.server, e) from e
            time.sleep(pauses.next_s())

    @contextmanager
    def open(
        self, method: str, path: str, params: Params | None = None, **how: Any
    ) -> Iterator[Reply | Refused]:
        """What `ask` answers, closed at the end."""
        reply = self.ask(method, path, params, **how)
        try:
            yield reply
        finally:
            if isinstance(reply, Reply):
                reply.close()

    def ask(
        self,
        method: str,
        path: str,
        params: Params | None = None,
        *,
        body: bytes | None = None,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
        silence_ns: int = _READ_NS,
        patience_ns: int = PATIENCE_NS,
        behind_is_an_answer: bool = False,
        stop: threading.Event | None = None,
    ) -> Reply | Refused:
        """
        The answer from its first byte on; whoever asks, closes it.

        Args:
            method: GET, POST, PATCH or DELETE.
            path: from the server's root on.
            params: the query.
            body: what is sent.
            content_type: what kind of body it is.
            headers: more of them.
            silence_ns: how long the server may say nothing.
            patience_ns: how long a server in trouble is asked again.
            behind_is_an_answer: whether what something behind the server says, or that it
                says nothing, is an answer like any other no.
            stop: set by whoever no longer waits for the answer.

        Raises:
            OutsideFailed: there is no answer.
            Cut: told to stop.
        """
        import httpx2  # noqa: PLC0415

        request = self._client.build_request(
            method,
            path,
            params=dict(params or {}),
            content=body,
            headers={
                **({"Content-Type": content_type} if body is not None else {}),
                **(headers or {}),
            },
            timeout=httpx2.Timeout(_CONNECT_S, read=silence_ns / NS_PER_S),
            extensions=self._extensions(),
        )
        give_up_ns = time.monotonic_ns() + patience_ns
        pauses = Pauses()
        while True:
            try:
                answer = self._once(request, params)
            except (Cut, httpx2.HTTPError, OSError) as e:
                unsent = isinstance(e, httpx2.ConnectError | httpx2.ConnectTimeout)
                again = self._answered and (unsent or method == "GET")
                self.note_trouble()
                if not again or time.monotonic_ns() >= give_up_ns:
                    raise unreachable(self.access.server, e) from e
            else:
                again = self._may_change(method, answer, behind_is_an_answer=behind_is_an_answer)
                if not again or time.monotonic_ns() >= give_up_ns:
                    return self._final(answer, behind_is_an_answer=behind_is_an_answer)
            if (stop or _NEVER).wait(pauses.next_s()):
                raise Cut("told to stop")

    def note_trouble(self) -> None:
        """A connection broke: what the server refuses in the next seconds may be its restart."""
        self._trouble_ns = time.monotonic_ns()

    def _once(self, request: "httpx2.Request", params: Params | None) -> Reply | Refused:
        began_ns, began_unix_ns = time.monotonic_ns(), time.time_ns()
        with credentials_in_our_words(self.access.context):
            response = self._client.send(request, stream=True)
        answered_ns = time.monotonic_ns()
        self._note_time(response.headers.get("date"), began_unix_ns)
        if response.status_code not in BUSY:
            self._answered = True
        if response.status_code in _SUCCESS:
            return Reply(response, asked_ns=began_ns, answered_ns=answered_ns)
        answer = Reply(response, asked_ns=began_ns, answered_ns=answered_ns)
        what = asked(request.method, request.url.path, params)
        return refused(what, answer.status, answer.words())

    def _may_change(
        self, method: str, answer: Reply | Refused, *, behind_is_an_answer: bool
    ) -> bool:
        """Whether the same question may get another answer soon."""
        if not isinstance(answer, Refused):
            return False
        if answer.status in {UNAUTHORIZED, FORBIDDEN}:
            troubled = self._trouble_ns
            return troubled is not None and time.monotonic_ns() - troubled < _AFTERMATH_NS
        return answer.status in BUSY and method == "GET" and not behind_is_an_answer

    def _final(self, answer: Reply | Refused, *, behind_is_an_answer: bool) -> Reply | Refused:
        if isinstance(answer, Refused):
            if answer.status == UNAUTHORIZED and not (behind_is_an_answer and not answer.own):
                raise not_accepted(self.access.server, self.access.context)
            if answer.status in BUSY and not behind_is_an_answer:
                raise busy(self.access.server, answer.status, answer.words)
        return answer

    def _note_time(self, date: str | None, began_unix_ns: int) -> None:
        if date is None:
            return
        answered_unix_ns = time.time_ns()
        with self._lock:
            if self._difference is None:
                self._difference = difference(
                    date, asked_ns=began_unix_ns, answered_ns=answered_unix_ns
                )
            else:
                self._difference = self._difference.with_answer(
                    date, asked_ns=began_unix_ns, answered_ns=answered_unix_ns
                )

    def _extensions(self) -> dict[str, Any]:
        name = self.access.server_name
        return {} if name is None else {"sni_hostname": name}
