"""
Passing over what never says anything about a start.

Each of vLLM's records names the place in the source it comes from, and one place
prints one kind of message: a place that was silent about the start many times over
stays silent. Lines of other programs have no such place; of those, web requests are
known, and the rest are told apart by their first words, digits aside. What was
learned about places becomes one pattern that runs over thousands of lines at once.
"""

import re
from collections.abc import Iterator

from firstlight.readers.raw_lines import Block
from firstlight.readers.wordings import ALL

ENOUGH = 16
"""A kind of line that said nothing so often says nothing."""
_MOST_PLACES = 300
_MOST_KINDS = 5_000
"""More kinds than this are not told apart; then the pieces of vLLM's wordings decide."""

_ANSI = re.compile(rb"\x1b\[[\d;]*m")
_DIGITS = re.compile(rb"\d+")
_SHAPE_BYTES = 200
_BEFORE_PLACE = rb"(?:\[[^\]\n]{0,80}\] ?){0,2}+[^\n\[]{0,200}+\["
"""What may stand before the place: stamps, a pod, a process, the level; one line's."""
_PLACE = re.compile(_BEFORE_PLACE + rb"([\w./<>-]{1,100}\.py:\d{1,6})\]")
_METHOD = rb"\"(?:GET|POST|PUT|HEAD|DELETE|OPTIONS) /(?!sleep)"
_REQUEST = rb"[^\n\"\[]{0,160}+" + _METHOD
_REQUEST_IN_JSON = rb"[^\n]{0,160}?INFO: {5}\S{1,60} - \\" + _METHOD
_LITERALS = tuple({w.literal.encode() for w in ALL})


_BLANK = re.compile(rb"\n+")


class Skimmer:
    """Learns which lines are silent, and finds the others."""

    def __init__(self) -> None:
        self._silent: dict[bytes, int] = {}
        self._telling: set[bytes] = set()
        self._places: list[bytes] = []
        self._known = -1
        self._run = re.compile(b"")
        self._looked_in = b""
        self._in_block: list[bytes] = []

    def worth_reading(self, block: Block) -> Iterator[tuple[int, bytes]]:
        """The lines that may say something, with their numbers; colours are gone."""
        data = _ANSI.sub(b"", block.data) if b"\x1b" in block.data else block.data
        run = self._pattern()
        number, at = block.first_line, 0
        while at < len(data):
            found = _BLANK.match(data, at) or run.match(data, at)
            if found and found.end() > at:
                number += data.count(b"\n", at, found.end())
                at = found.end()
                continue
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            line = data[at:end]
            if self._may_tell(line, data):
                yield number, line
            number, at = number + 1, end + 1

    def learn(self, line: bytes, *, telling: bool) -> None:
        """Remember whether a line of this kind said something."""
        kind, is_place = _kind(line)
        if telling and len(self._telling) < _MOST_KINDS:
            self._telling.add(kind)
        if telling or kind in self._telling:
            return
        times = self._silent.get(kind, 0) + 1
        if times > 1 or len(self._silent) < _MOST_KINDS:
            self._silent[kind] = times
        if is_place and times == ENOUGH and len(self._places) < _MOST_PLACES:
            self._places.append(kind)

    def _may_tell(self, line: bytes, data: bytes) -> bool:
        kind, _ = _kind(line)
        if kind in self._telling:
            return True
        times = self._silent.get(kind)
        if times is not None or len(self._silent) < _MOST_KINDS:
            return times is None or times < ENOUGH
        if self._looked_in is not data:
            self._looked_in = data
            self._in_block = [literal for literal in _LITERALS if literal in data]
        return any(literal in line for literal in self._in_block)

    def _pattern(self) -> re.Pattern[bytes]:
        """Runs of silent lines; made anew when a third more places are known."""
        if self._known < 0 or len(self._places) * 3 > self._known * 4:
            self._known = len(self._places)
            places = b"|".join(map(re.escape, self._places)) or b"(?!)"
            self._run = re.compile(
                rb"(?:(?:" + _REQUEST + rb"|" + _BEFORE_PLACE + rb"(?:" + places + rb")\]|"
                rb"" + _REQUEST_IN_JSON + rb")[^\n]*+\n)*+"
            )
        return self._run


_INNER = re.compile(rb'"(?:log|message|msg|textPayload|line)":\s*"')


def _kind(line: bytes) -> tuple[bytes, bool]:
    """What tells lines apart: the place they come from, or their first words without numbers."""
    if found := _PLACE.match(line):
        return found[1], True
    # A shipper's envelope may say two hundred bytes about the pod before it comes to the line.
    inner = _INNER.search(line) if line.startswith(b"{") else None
    start = inner.end() if inner else 0
    return _DIGITS.sub(b"0", line[start : start + _SHAPE_BYTES]), False
