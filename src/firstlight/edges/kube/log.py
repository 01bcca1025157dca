"""
A container's log through the API server, line by line, whatever happens to the connection.

The server streams what the node's current log file holds: what was rotated away is gone,
and a container that has not started has none. A broken connection is taken up again
from the last second that was read; the lines of that second come again, and those
already told are not told twice.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping

from firstlight.core.errors import OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.reply import Cut, Reply
from firstlight.edges.kube.wire import KubeWire, Pauses

_SECOND = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_ZONE = re.compile(rb"(?:\.\d+)?(Z|[+-]\d\d:\d\d) ")
_TRIES = 30
_ASKED_AGAIN = 5
_SILENCE_NS = 60 * NS_PER_S
"""What has been said comes sooner; a connection that is silent for so long is dead."""


class LogLines:
    """
    Iterate over it, once, for the lines, each with its end; made by `KubeApi.log`.

    It stops at the log's end, or when nothing more can be had: then `problem` says why.
    """

    def __init__(
        self, wire: KubeWire, *, path: str, params: Mapping[str, str], first: Reply
    ) -> None:
        self.problem: str | None = None
        """Why the end is missing; None where it is not."""
        self._wire = wire
        self._path = path
        self._params = dict(params)
        self._reply = first
        self._second = b""
        self._zone = b""
        self._of_second: Counter[int] = Counter()
        """The lines of the last second that were told; all of them, where none has a stamp."""
        self._untold = 0
        """How many of those an answer has not told again yet."""
        self._rest = b""

    def __iter__(self) -> Iterator[bytes]:
        pauses, fruitless, ends = Pauses(), 0, 0
        while True:
            rest, got, cut = self._rest, False, None
            try:
                for line in self._fresh(self._reply):
                    got = True
                    yield line
            except Cut as e:
                cut = str(e)
                self._wire.note_trouble()
            finally:
                self._reply.close()
            if got:
                pauses, fruitless = Pauses(), 0
            else:
                fruitless += 1
            if cut is None:
                ends += 1
                # An answer that ends before what was told already was itself broken off.
                whole = not self._untold and self._rest in {b"", rest}
                # A container that never stops talking is asked a few times only.
                if (whole and not got) or ends > _ASKED_AGAIN:
                    break
            time.sleep(pauses.next_s())
            if fruitless >= _TRIES:
                self.problem = f"the connection broke {fruitless} times: {cut}"
                break
            if not self._asked_again():
                break
        if self._rest:
            yield self._rest

    def _asked_again(self) -> bool:
        """Go on from the last second that was read; False where that cannot be."""
        params = dict(self._params)
        if self._second:
            params["sinceTime"] = (self._second + self._zone).decode()
        try:
            reply = ask_for_log(self._wire, self._path, params)
        except OutsideFailed as e:
            self.problem = e.message
            return False
        if isinstance(reply, Refused):
            self.problem = reply.words
            return False
        self._reply = reply
        return True

    def _fresh(self, reply: Reply) -> Iterator[bytes]:
        """The lines that were not told before."""
        told = Counter(self._of_second)
        self._untold = told.total()
        since = self._second
        for line in self._whole(reply):
            if self._untold:
                key = hash(line)
                if told[key]:
                    told[key] -= 1
                    self._untold -= 1
                    continue
            second = line[:19]
            if second < since:
                continue
            if second != self._second:
                self._begin(second, line)
            self._of_second[hash(line)] += 1
            yield line

    def _begin(self, second: bytes, line: bytes) -> None:
        """A second that is later than all before; a stamp that is not is of no use here."""
        zone = _ZONE.match(line, len(second))
        if zone is None or not _SECOND.fullmatch(second) or second < self._second:
            return
        self._second, self._zone = second, zone[1]
        self._of_second.clear()

    def _whole(self, reply: Reply) -> Iterator[bytes]:
        """Lines that have their end; what has none may be the beginning of one."""
        self._rest = b""
        for chunk in reply.chunks():
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                yield line + b"\n"


def ask_for_log(wire: KubeWire, path: str, params: Mapping[str, str]) -> Reply | Refused:
    """
    The log from its first byte on, or why not.

    A node that cannot be reached is answered by the server with a status of its own, which
    says more than another try.

    Raises:
        OutsideFailed: the server itself cannot be reached.
    """
    return wire.ask(
        "GET",
        path,
        params,
        headers={"Accept-Encoding": "identity"},
        silence_ns=_SILENCE_NS,
        behind_is_an_answer=True,
    )
