"""
What became of each request, and whether it may have.

A fault touches a request whose time it shares; whoever orders the fault says when it begins and
when all is well again. What no fault touched has to end with its right answer. What one touched
may end with that, or with one honest error. Of a request that the gateway itself turned away, the
engine must never have heard; of every other it may have heard once.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from firstlight.gateway.answers import Code
from firstlight.gateway.orders import Why
from tests.gating_chaos.asker import Askers, Ending, Got
from tests.gating_chaos.wanted import Wanted


class Touch(StrEnum):
    """What a request was touched by."""

    ENGINE = "engine"
    SPOILED = "its own answer spoiled"
    CROWD = "more than may wait"
    DRAIN = "drain"


_HONEST = {Ending.RIGHT, Ending.REFUSED, Ending.ENGINE_ERROR, Ending.CUT}
_MAY = {
    Touch.ENGINE: _HONEST,
    Touch.SPOILED: _HONEST,
    Touch.CROWD: {Ending.RIGHT, Ending.REFUSED},
    # Where no gateway listens nobody can say so.
    Touch.DRAIN: {Ending.RIGHT, Ending.REFUSED, Ending.NOTHING, Ending.UNCONNECTED},
}
_CODES: dict[Touch, set[str]] = {
    Touch.ENGINE: {
        *(Why.STARTING, Why.FAILED, Why.WAITED),
        *(Code.UNREACHABLE, Code.BROKE_OFF, Code.ABANDONED),
    },
    Touch.SPOILED: {Code.BROKE_OFF, Code.NO_HTTP},
    Touch.CROWD: {Why.FULL},
    Touch.DRAIN: {Why.DRAINING, Why.STARTING},
}
_NEVER_SENT: set[str] = {*Why, Code.UNREACHABLE}


@dataclass(slots=True, kw_only=True, eq=False)
class Entry:
    """One request."""

    wanted: Wanted
    touches: set[Touch]
    got: Got | None = None
    took_s: float = 0.0


@dataclass(slots=True, kw_only=True)
class Book:
    """Of one run."""

    askers: Askers
    entries: list[Entry] = field(default_factory=list)
    _now: set[Touch] = field(default_factory=set)
    _live: set[Entry] = field(default_factory=set)

    def begin(self, touch: Touch, *, spares_who_is_there: bool = False) -> None:
        """
        From now on.

        Args:
            touch: what touches.
            spares_who_is_there: whether only those are touched that come later.
        """
        self._now.add(touch)
        for entry in () if spares_who_is_there else self._live:
            entry.touches.add(touch)

    def end(self, touch: Touch) -> None:
        """All is well again; who is there now shared the time before that."""
        self._now.discard(touch)

    async def ask(self, wanted: Wanted) -> Entry:
        """
        Have one asked, and write down what it got.

        Args:
            wanted: what it does.
        """
        touches = {Touch.SPOILED} if wanted.spoil else set()
        entry = Entry(wanted=wanted, touches=touches | self._now)
        self.entries.append(entry)
        self._live.add(entry)
        clock = asyncio.get_running_loop().time
        began_s = clock()
        entry.got = await self.askers.ask(wanted)
        entry.took_s = clock() - began_s
        self._live.discard(entry)
        return entry

    def counted(self) -> Counter[str]:
        """How many ended how."""
        return Counter(_named(entry) for entry in self.entries)

    def wrongs(self, received: Mapping[str, int], *, since: int = 0) -> list[str]:
        """
        Everything that must not be.

        Args:
            received: how often the engine got each request, by name.
            since: so many of the first ones are passed over.
        """
        return [
            f"{entry.wanted} touched by {sorted(entry.touches)}: {wrong} ({entry.got})"
            for entry in self.entries[since:]
            for wrong in _wrongs(entry, received.get(entry.wanted.name, 0))
        ]


def _named(entry: Entry) -> str:
    if entry.got is None:
        return "never ended"
    code = entry.got.code if entry.got.ending is Ending.REFUSED else ""
    return f"{entry.got.ending} {code}".strip()


def _wrongs(entry: Entry, received: int) -> Iterator[str]:
    got, wanted = entry.got, entry.wanted
    if got is None:
        yield "it never ended"
        return
    may, codes = {Ending.RIGHT}, set[str]()
    for touch in entry.touches:
        may |= _MAY[touch]
        codes |= _CODES[touch]
    if wanted.leaving is not None:
        may |= {Ending.LEFT}
    if got.ending not in may:
        yield "it must not end so"
    elif got.ending is Ending.REFUSED and got.code not in codes:
        yield "that is not why"
    if received > 1:
        yield f"the engine got it {received} times"
    if received and got.ending is Ending.REFUSED and got.code in _NEVER_SENT:
        yield "it was turned away, and the engine got it"
    if not received and got.ending is Ending.RIGHT:
        yield "nobody but the engine can have answered it"
