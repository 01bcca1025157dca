"""
Where the engine really listens, when that is not where we ask.

Three sources, from the surest: a URL that the user gave; the engine's own line
("Starting vLLM server on ..."); the kernel's table of listening sockets. A given
URL is never left, but an engine that says it is elsewhere and stays so proves
the URL wrong. An engine's workers listen too, on ports of their own that must
not be disturbed by a question, so the kernel's table is followed only for a
command that is not vLLM, names no port, and has one single port open twice in
a row.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from firstlight.measure.command import ServerAddress, reachable
from firstlight.measure.heard import Heard
from firstlight.measure.ports import Engine

_LOOK_EVERY_NS = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Ask there from now on."""

    url: str
    not_before_ns: int
    """Until then nobody listened there."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """The engine is where we may not follow it."""

    where: str


class Whereabouts:
    """Asked while the port is not open yet; remembers what it saw."""

    def __init__(self, address: ServerAddress, *, elsewhere_ns: int) -> None:
        self._address = address
        self._elsewhere_ns = elsewhere_ns
        self._seen: set[int] = set()
        self._looked_ns: int | None = None
        self._without_ns = 0
        """The last look at which nothing listened that does now."""

    def news(
        self, *, url: str, heard: Heard, engine: Engine, now_ns: int
    ) -> Move | Elsewhere | None:
        """What to do about the place that is being asked; None to go on asking."""
        if heard.url is not None:
            return self._said(heard.url, url=url, heard=heard, now_ns=now_ns)
        if self._address.given or self._address.port_named or heard.is_vllm:
            return None
        if self._looked_ns is not None and now_ns < self._looked_ns + _LOOK_EVERY_NS:
            return None
        return self._looked(url, engine, now_ns)

    def _said(self, said: str, *, url: str, heard: Heard, now_ns: int) -> Move | Elsewhere | None:
        there = connectable(said)
        if there is None:
            return Elsewhere(where=said)
        if there == url or (self._address.given and urlsplit(there).port == urlsplit(url).port):
            return None
        if not self._address.given:
            return Move(url=there, not_before_ns=heard.url_ns, why="as its own line says")
        if now_ns < heard.url_ns + self._elsewhere_ns:
            return None
        return Elsewhere(where=there)

    def _looked(self, url: str, engine: Engine, now_ns: int) -> Move | None:
        before, before_ns = self._seen, self._looked_ns
        found = {one.port: one.host for one in engine.listeners()}
        self._seen, self._looked_ns = set(found), now_ns
        if before != self._seen:
            self._without_ns = before_ns or 0
            return None
        if before_ns is None or len(found) != 1:
            return None
        ((port, host),) = found.items()
        there = f"http://{reachable(host)}:{port}"
        if there == url:
            return None
        return Move(
            url=there, not_before_ns=self._without_ns, why="the only port that it listens on"
        )


def connectable(said: str) -> str | None:
    """An address as a server prints it, as a URL to ask; None for a Unix socket."""
    try:
        at = urlsplit(said)
        port = at.port
    except ValueError:
        return None
    if at.scheme not in {"http", "https"} or at.hostname is None or port is None:
        return None
    return f"{at.scheme}://{reachable(at.hostname)}:{port}"
