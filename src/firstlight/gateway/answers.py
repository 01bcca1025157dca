"""
What a gateway says when it answers in the engine's place.

Clients of an engine read errors in the shape that OpenAI gave them, so the gateway's have that
shape too; and because whoever looks for a fault must know who spoke, each carries a header that
no answer of the engine has (one that the engine sends is dropped on its way).
"""

import json
from dataclasses import dataclass
from enum import StrEnum

from firstlight.gateway.orders import Why

MARK = "X-Firstlight-Gate"
MARKED = "refused"


class Code(StrEnum):
    """Why the gateway itself answered a request, beside the reasons of `orders.Why`."""

    NO_ROUTE = "no_such_route"
    NO_TOKEN = "invalid_api_key"
    METHOD = "method_not_passed"
    UPGRADE = "upgrade_not_passed"
    BAD_REQUEST = "bad_request"
    EXPECTATION = "expectation_not_met"
    HEAD_TOO_LARGE = "head_too_large"
    BODY_TOO_LARGE = "body_too_large"
    TOO_SLOW = "request_too_slow"
    CONNECTIONS = "too_many_connections"
    UNREACHABLE = "engine_unreachable"
    BROKE_OFF = "engine_broke_off"
    NO_HTTP = "engine_speaks_no_http"
    ABANDONED = "engine_failed_meanwhile"
    OURS = "gateway_fault"


_UNAVAILABLE, _SERVER = 503, 500
_STATUS = {
    Code.NO_ROUTE: 404,
    Code.NO_TOKEN: 401,
    Code.METHOD: 405,
    Code.UPGRADE: 400,
    Code.BAD_REQUEST: 400,
    Code.EXPECTATION: 417,
    Code.HEAD_TOO_LARGE: 431,
    Code.BODY_TOO_LARGE: 413,
    Code.TOO_SLOW: 408,
    Code.CONNECTIONS: 503,
    Code.UNREACHABLE: 502,
    Code.BROKE_OFF: 502,
    Code.NO_HTTP: 502,
    Code.ABANDONED: 502,
    Code.OURS: 500,
}
_CLOSING = frozenset(
    {
        Code.UPGRADE,
        Code.BAD_REQUEST,
        Code.EXPECTATION,
        Code.HEAD_TOO_LARGE,
        Code.BODY_TOO_LARGE,
        Code.TOO_SLOW,
        Code.CONNECTIONS,
        Code.OURS,
        Why.DRAINING,
    }
)
"""After these nothing more is read from the connection: where a request ends is not known, or
the client is to go elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One answer of the gateway's own to a request that was for the engine."""

    code: Code | Why
    words: str
    """For whoever asked: lower case, nothing of the request in it."""
    retry_after_s: int | None = None

    @property
    def status(self) -> int:
        """The HTTP status."""
        if isinstance(self.code, Why):
            return _UNAVAILABLE
        return _STATUS[self.code]

    @property
    def closes(self) -> bool:
        """Whether the connection ends with this answer."""
        return self.code in _CLOSING

    @property
    def body(self) -> bytes:
        """The error in the shape of OpenAI's."""
        fault = "server_error" if self.status >= _SERVER else "invalid_request_error"
        error = {"message": self.words, "type": fault, "param": None, "code": self.code.value}
        return json.dumps({"error": error}).encode()

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What marks it, and when to come back."""
        marked = (("Content-Type", "application/json"), (MARK, MARKED))
        if self.retry_after_s is None:
            return marked
        return (*marked, ("Retry-After", str(self.retry_after_s)))


def on_the_wire(problem: Problem) -> bytes:
    """The whole answer as bytes, for a connection on which no request has been understood."""
    lines = [f"HTTP/1.1 {problem.status} {problem.code.value}"]
    lines += [f"{name}: {value}" for name, value in problem.headers]
    lines += [f"Content-Length: {len(problem.body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode() + problem.body
