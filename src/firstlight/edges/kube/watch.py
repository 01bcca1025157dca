"""
What happens to some objects, change by change, none missed and none doubled.

A watch is a connection that carries changes, and connections end: the server closes
them after a while, networks cut them, servers restart. Each is taken up again from the
last version seen, which bookmarks keep young while nothing happens. Where the server
no longer has that version (410), everything is listed again and compared with what
was known: what changed meanwhile comes as changes too, with the states in between
lost, which `listed` says.

Two connections may tell the same twice (a replay after a restart); a change is known
by its object's uid and version and told once.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from firstlight.core.errors import OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.edges.kube.answers import GONE, Refused, is_status
from firstlight.edges.kube.reply import Cut, Reply
from firstlight.edges.kube.wire import KubeWire, Pauses

Object = dict[str, Any]

_ROUND_S = 60
"""How long one connection lasts at most: a dead one is noticed soon after."""
_SLACK_NS = 10 * NS_PER_S
_PATIENCE_NS = 300 * NS_PER_S
"""How long a server that is gone is waited for."""
_FRUITLESS = 8
"""As many broken connections without one change, and the list is asked for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One object, and what happened to it."""

    type: str
    """ADDED, MODIFIED or DELETED."""
    object: Object = field(repr=False)
    """As it is after that; of a DELETED one its last state that was told."""
    arrived_ns: int
    """The monotonic moment at which its bytes were here."""
    listed: bool
    """Whether a list told it: it had happened at some time before."""


class Watching:
    """
    Iterate over it for the changes; it ends when told to stop.

    Made by `KubeApi.watch`, which has listed once already: those objects come first.
    """

    def __init__(
        self,
        wire: KubeWire,
        *,
        path: str,
        params: Mapping[str, str],
        lists: Callable[[], Object | Refused],
        first: Object | None,
        since_version: str,
        known: Iterable[Object],
    ) -> None:
        self.relisted = 0
        """How often it had to list again, so that states in between may be lost."""
        self.reconnected = 0
        """How often a broken connection was taken up again."""
        self._wire = wire
        self._path = path
        self._params = dict(params)
        self._lists = lists
        self._first = first
        self._version = since_version
        self._known = {uid(o): o for o in known}
        self._gone: set[str] = set()
        self._stopped = threading.Event()
        self._reply: Reply | None = None
        self._useful = False
        """Whether the last connection was: the next one is then made at once."""

    def stop(self) -> None:
        """End the iteration, from any thread; what has arrived by now is still told."""
        self._stopped.set()
        reply = self._reply
        if reply is not None:
            reply.hang_up()

    def __iter__(self) -> Iterator[Change]:
        """
        The changes.

        Raises:
            OutsideFailed: the server is gone for good, or no longer allows it.
        """
        if self._first is not None:
            first, self._first = self._first, None
            yield from self._compared(first)
        pauses, fruitless = Pauses(), 0
        while not self._stopped.is_set():
            self._useful = False
            try:
                yield from self._connection()
            except _Expired:
                yield from self._compared(self._listed())
                self._useful = False
            except Cut:
                self._wire.note_trouble()
                self.reconnected += 1
            if self._useful:
                pauses, fruitless = Pauses(), 0
                continue
            fruitless += 1
            if fruitless % _FRUITLESS == 0 and not self._stopped.is_set():
                yield from self._compared(self._listed())
            self._stopped.wait(pauses.next_s())

    def _connection(self) -> Iterator[Change]:
        """One connection's changes."""
        began_ns = time.monotonic_ns()
        params = {
            **self._params,
            "watch": "1",
            "allowWatchBookmarks": "true",
            "resourceVersion": self._version,
            "timeoutSeconds": str(_ROUND_S),
        }
        with self._wire.open(
            "GET",
            self._path,
            params,
            headers={"Accept-Encoding": "identity"},
            silence_ns=_ROUND_S * NS_PER_S + _SLACK_NS,
            patience_ns=_PATIENCE_NS,
            stop=self._stopped,
        ) as reply:
            if isinstance(reply, Refused):
                raise _expired_or_lost(reply)
            self._reply = reply
            if self._stopped.is_set():
                return
            for line, arrived_ns in _lines(reply):
                self._useful = True
                change = self._understood(line, arrived_ns)
                if change is not None:
                    yield change
                if self._stopped.is_set():
                    break
        # One that was quiet and ended in its time was of use too.
        self._useful |= time.monotonic_ns() - began_ns > NS_PER_S

    def _understood(self, line: bytes, arrived_ns: int) -> Change | None:
        try:
            told = json.loads(line)
            type_, object_ = told["type"], told["object"]
            if type_ == "ERROR" or is_status(object_):
                raise _Expired if object_.get("code") == GONE else Cut(str(object_))
            version = object_["metadata"]["resourceVersion"]
            key = uid(object_)
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as e:
            raise Cut(f"a change that cannot be read: {line[:200]!r}") from e
        self._version = version
        before = self._known.get(key)
        match type_:
            case "BOOKMARK":
                return None
            case "DELETED":
                if key in self._gone:
                    return None
                self._gone.add(key)
                self._known.pop(key, None)
            case _:
                if before is not None and before["metadata"]["resourceVersion"] == version:
                    return None
                self._known[key] = object_
                type_ = "MODIFIED" if before is not None else type_
        return Change(type=type_, object=object_, arrived_ns=arrived_ns, listed=False)

    def _listed(self) -> Object:
        listing = self._lists()
        if isinstance(listing, Refused):
            raise lost(listing)
        self.relisted += 1
        return listing

    def _compared(self, listing: Object) -> Iterator[Change]:
        """What a list says that was not known."""
        arrived_ns = time.monotonic_ns()
        self._version = listing["metadata"]["resourceVersion"]
        now = {uid(o): o for o in listing["items"]}
        before, self._known = self._known, now
        for key in [key for key in before if key not in now]:
            self._gone.add(key)
            yield Change(type="DELETED", object=before[key], arrived_ns=arrived_ns, listed=True)
        for key, object_ in now.items():
            was = before.get(key)
            if was is None:
                yield Change(type="ADDED", object=object_, arrived_ns=arrived_ns, listed=True)
            elif was["metadata"]["resourceVersion"] != object_["metadata"]["resourceVersion"]:
                yield Change(type="MODIFIED", object=object_, arrived_ns=arrived_ns, listed=True)


class _Expired(Exception):
    """The server no longer has the version to go on from."""


def uid(object_: Object) -> str:
    """What tells an object from all others, also from a later one of its name."""
    metadata = object_["metadata"]
    return str(metadata.get("uid") or f"{metadata.get('namespace')}/{metadata.get('name')}")


def lost(refused: Refused) -> OutsideFailed:
    """A right, or the resource itself, that was there when the watch began."""
    return OutsideFailed(
        f"{refused.asked} was allowed and is no longer: {refused.words}",
        remedy="see what took the right, or the resource, away",
    )


def _expired_or_lost(refused: Refused) -> Exception:
    return lost(refused) if refused.forbidden or refused.absent else _Expired()


def _lines(reply: Reply) -> Iterator[tuple[bytes, int]]:
    """
    Each whole line, with the moment at which it was here.

    Raises:
        Cut: the connection broke, or ended inside a line.
    """
    rest = b""
    for chunk in reply.chunks():
        arrived_ns = time.monotonic_ns()
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line:
                yield line, arrived_ns
    if rest:
        raise Cut("the answer ended inside a line")
