"""
Headers on their way through: where a body ends, and what is for one connection only.

Most ways to smuggle one request inside another live on two readers that disagree on where a body
ends. Here the head is read by a strict parser first, and what it lets through must then be the
plainest form: one length, or one `chunked`, and never both. What goes on is written anew from what
was understood; no byte of framing is passed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.gateway.answers import MARK, Code, Problem

Pairs = Iterable[tuple[str, str]]

HOP_BY_HOP = frozenset(
    {
        "connection",
        "http2-settings",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Of one connection, not of the request (RFC 9110, 7.6.1)."""
_SET_HERE = frozenset({"content-length", "expect", "host"})
_DIGITS = re.compile(r"[0-9]{1,18}", re.ASCII)
_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]*")
"""Surrogates stand for bytes that are no UTF-8, and could not be passed as they came."""
_CONTINUE = "100-continue"
_OFFERED = "h2c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """What the head of a request says about its body."""

    length_bytes: int | None
    """None where it is not told, and with it no body unless it is chunked."""
    chunked: bool
    expects: bool
    """The client waits to be told to go on before it sends the body."""
    host: str | None

    @property
    def has_body(self) -> bool:
        """Whether one follows."""
        return self.chunked or bool(self.length_bytes)


def decoded(raw: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """Headers as text; bytes that are none become what `framing` refuses."""
    return [
        (name.decode("latin-1"), value.decode("utf-8", "surrogateescape")) for name, value in raw
    ]


def framing(pairs: Pairs, *, is_1_0: bool) -> Framing | Problem:
    """
    Where the body of a request ends, or why its head is not taken.

    Args:
        pairs: names and values as they came, in their order.
        is_1_0: of HTTP/1.0, which knows neither chunks nor `Expect`.
    """
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            return _bad("a header has characters that have no place in one")
        found.setdefault(name.lower(), []).append(value)
    # Java's client offers HTTP/2 with every first request, and whoever does not take it up answers
    # as if it had not been said (RFC 9110, 7.8).
    if {value.lower() for value in found.get("upgrade", [])} - {_OFFERED}:
        words = "a change of protocol is not passed to the engine"
        return Problem(code=Code.UPGRADE, words=words)
    lengths, codings = found.get("content-length", []), found.get("transfer-encoding", [])
    hosts, expects = found.get("host", []), found.get("expect", [])
    if len(lengths) + len(codings) > 1:
        return _bad("the length of the body is told more than once")
    if codings and (is_1_0 or codings[0].lower() != "chunked"):
        return _bad("the only transfer coding is chunked, and only in HTTP/1.1")
    if lengths and not _DIGITS.fullmatch(lengths[0]):
        return _bad("the length of the body is no plain number")
    if len(hosts) > 1 or (hosts and not _HOST.fullmatch(hosts[0])):
        # A host with a slash in it has let servers take a part of it for the path.
        return _bad("the host is no name or address, with a port at most")
    if expects and [value.lower() for value in expects] != [_CONTINUE]:
        return Problem(code=Code.EXPECTATION, words=f"nothing is expected but {_CONTINUE}")
    return Framing(
        length_bytes=int(lengths[0]) if lengths else None,
        chunked=bool(codings),
        expects=bool(expects) and not is_1_0,
        host=hosts[0] if hosts else None,
    )


def onward(pairs: Pairs, framed: Framing) -> list[tuple[str, str]]:
    """
    What goes to the engine.

    The host stays the client's, as the engine would see it without anybody in between: it makes
    the addresses of redirects from it.
    """
    headers = _without(pairs, _SET_HERE)
    if framed.host is not None:
        headers.append(("Host", framed.host))
    if framed.length_bytes is not None:
        headers.append(("Content-Length", str(framed.length_bytes)))
    return headers


def back(pairs: Pairs) -> list[tuple[str, str]]:
    """What goes to the client of an answer, but for what says where its body ends."""
    return _without(pairs, frozenset({"content-length", MARK.lower()}))


def length_of(pairs: Pairs) -> int | None:
    """The length that an answer tells, of itself or (to HEAD) of what it would be to GET."""
    pairs = list(pairs)
    if any(name.lower() == "transfer-encoding" for name, _ in pairs):
        return None
    told = {value.strip() for name, value in pairs if name.lower() == "content-length"}
    if len(told) != 1 or not _DIGITS.fullmatch(length := told.pop()):
        return None
    return int(length)


def _without(pairs: Pairs, names: frozenset[str]) -> list[tuple[str, str]]:
    pairs = list(pairs)
    named = {
        name.strip().lower()
        for header, value in pairs
        if header.lower() == "connection"
        for name in value.split(",")
    }
    dropped = HOP_BY_HOP | names | named
    return [(name, value) for name, value in pairs if name.lower() not in dropped]


def _bad(words: str) -> Problem:
    return Problem(code=Code.BAD_REQUEST, words=words)
