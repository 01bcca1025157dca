"""
A vLLM log, read for what it says about starting.

Two speeds. While an engine starts, every line is taken apart: its stamp may bound
a silence, it may be the first word of a process, it may continue a line that was
wrapped by whoever pasted it. After so many lines, or once the server is up, lines of
kinds that never say anything are passed over (`skimming`): an engine that serves, or
one that debugs, prints hundreds of megabytes of a few kinds.

The result is observations in the file's order; `explain` decides what they mean.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from firstlight.core.units import NS_PER_MS
from firstlight.readers.log_line import (
    LONGEST_TEXT,
    LogLine,
    Role,
    from_peeled,
    read_line,
    read_records,
)
from firstlight.readers.outer_layers import Peeled, Peeler
from firstlight.readers.raw_lines import LONGEST_BYTES, Block, blocks
from firstlight.readers.skimming import Skimmer
from firstlight.readers.statements import may_cross, statements
from firstlight.readers.wordings.wording import Say

SILENCE_NS = 500 * NS_PER_MS
"""Two neighbouring lines further apart than this are worth quoting."""

_LINES_WHILE_STARTING = 6_000
_LINES_AFTER_READY = 200
_WRAPPED_LINES = 5
"""A message wrapped by hand is joined over so many lines at most."""
_FULL_WIDTH = 60
"""A terminal that wraps inside words is at least so wide."""
_MOST_PREFIXES = 20

_BEGINNINGS = frozenset(
    {Say.SHELL_SERVE, Say.API_VERSION, Say.BANNER_VERSION, Say.PLATFORM, Say.ENGINE_BEGINS}
)
_OPENERS = frozenset({Say.API_VERSION, Say.BANNER_VERSION, Say.SHELL_SERVE})
_READY = frozenset({Say.UVICORN_COMPLETE, Say.ROUTES})
_LAST_WORDS = frozenset(
    {Say.SHUTDOWN, Say.EXCEPTION, Say.SECONDARY, Say.FATAL, Say.DIED, Say.CRASH, Say.TRACEBACK}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something vLLM said, and the line it said it in."""

    say: Say
    line: LogLine
    values: Mapping[str, str] = field(default_factory=dict)
    """The pattern's groups; a group that did not take part is absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Two neighbouring stamped lines that are far apart."""

    before: LogLine
    after: LogLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Everything one artefact says about starts."""

    artefact: str
    observations: tuple[Observation, ...]
    silences: tuple[Silence, ...]
    lines: int
    has_nul: bool
    """Whether a NUL byte was seen: with no observation, the file is not a log."""
    last: LogLine | None = None
    """The last line that is not empty, whatever it says."""


def read_log(artefact: str, chunks: Iterable[bytes]) -> Log:
    """Read an artefact from its bytes, in chunks of any size."""
    reader = _Reader()
    lines, has_nul = 0, False
    last = (0, b"")
    for block in blocks(chunks):
        has_nul = has_nul or b"\0" in block.data
        lines = block.first_line + block.data.count(b"\n") - block.data.endswith(b"\n")
        reader.read(block)
        last = _last_line(block) or last
    reader.finish()
    return Log(
        artefact=artefact,
        observations=tuple(reader.observations),
        silences=tuple(reader.silences),
        lines=lines,
        has_nul=has_nul,
        last=read_line(last[0], last[1].decode("utf-8", "replace")) if last[0] else None,
    )


def _last_line(block: Block) -> tuple[int, bytes] | None:
    """Number and bytes of a block's last line that is not empty."""
    data = block.data.rstrip()
    if not data:
        return None
    return block.first_line + data.count(b"\n"), data[data.rfind(b"\n") + 1 :]


_Said = list[tuple[Say, Mapping[str, str]]]


class _Part(NamedTuple):
    """A line that may be the beginning of a wrapped one, and what it said by itself."""

    text: str
    width: int
    """How wide the whole line was, its head included."""
    said: tuple[tuple[Say, Mapping[str, str]], ...]


@dataclass(slots=True)
class _Service:
    """What is remembered of one service between its lines."""

    wrapped: deque[_Part] = field(default_factory=lambda: deque(maxlen=_WRAPPED_LINES))
    last_stamped: LogLine | None = None
    ended: bool = True
    """Whether the next record may be the first of a start: nothing came yet, or last words."""


class _Reader:
    """The state between lines: what is unfinished, who has spoken, how much was read."""

    def __init__(self) -> None:
        self.observations: list[Observation] = []
        self.silences: list[Silence] = []
        self._budget = _LINES_WHILE_STARTING
        self._skimmer = Skimmer()
        self._peeler = Peeler()
        self._prefixes: dict[str, int] = {}
        self._spoken: set[tuple[str, str, int | None]] = set()
        self._unfinished: dict[tuple[str, str], tuple[int, Peeled]] = {}
        self._services: dict[str, _Service] = {}

    def read(self, block: Block) -> None:
        """Take a block apart, line by line, or only what is worth it."""
        data, number, at = block.data, block.first_line, 0
        while at < len(data) and self._budget > 0:
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            self._read_line(number, data[at:end])
            number, at = number + 1, end + 1
        if at >= len(data):
            return
        rest = Block(first_line=number, data=data[at:])
        for number, raw in self._skimmer.worth_reading(rest):
            # The lines passed over had stamps too: what seems a silence may be none.
            for service in self._services.values():
                service.last_stamped = None
            seen = len(self.observations)
            self._read_line(number, raw)
            telling = any(o.say is not Say.PROCESS_SPEAKS for o in self.observations[seen:])
            self._skimmer.learn(raw, telling=telling)

    def finish(self) -> None:
        """Read what was still waiting for its end when the artefact ended."""
        for number, held in list(self._unfinished.values()):
            self._read_whole(number, held)

    def _read_line(self, number: int, raw: bytes) -> None:
        self._budget -= 1
        peeled = self._peeler.peel(raw.decode("utf-8", "replace").rstrip("\r\n"))
        whole = self._finished(number, peeled)
        if whole is not None:
            self._read_whole(number, whole)

    def _read_whole(self, number: int, peeled: Peeled) -> None:
        for line in read_records(number, peeled):
            line = self._without_prefix(line, peeled)  # noqa: PLW2901
            if (service := self._services.get(line.service)) is None:
                service = self._services[line.service] = _Service()
            self._listen(service, line)
            for say, values in self._statements(service, line):
                self._observe(service, Observation(say=say, line=line, values=values))

    def _finished(self, number: int, peeled: Peeled) -> Peeled | None:
        """Join what a container runtime cut; None while the rest is still to come."""
        if not peeled.stream:
            return peeled
        key = (peeled.service, peeled.stream)
        held = self._unfinished.pop(key, None)
        if held:
            text = held[1].text + peeled.text
            if len(text) > LONGEST_BYTES:
                text = f"{text[: LONGEST_BYTES // 2]} ... {text[-LONGEST_BYTES // 2 :]}"
            peeled = peeled._replace(text=text)
        if peeled.unfinished:
            self._unfinished[key] = (number, peeled)
            return None
        return peeled

    def _without_prefix(self, line: LogLine, peeled: Peeled) -> LogLine:
        """A prefix that records have may stand before lines without a head, too."""
        if line.prefix:
            if len(self._prefixes) < _MOST_PREFIXES or line.prefix in self._prefixes:
                self._prefixes[line.prefix] = self._prefixes.get(line.prefix, 0) + 1
        elif not line.headed:
            for prefix, times in self._prefixes.items():
                if times > 1 and peeled.text.startswith(prefix):
                    text = peeled.text.removeprefix(prefix)
                    bare = from_peeled(line.number, peeled._replace(text=text))
                    return bare._replace(text=line.text)
        return line

    def _listen(self, service: _Service, line: LogLine) -> None:
        """Note silences, and the first word of each process and of each start."""
        if line.outer_ns is not None or line.engine_ns is not None:
            before = service.last_stamped
            if before and _apart_ns(before, line) >= SILENCE_NS:
                self.silences.append(Silence(before=before, after=line))
            service.last_stamped = line
        role = line.role
        speaker = (line.service, role.value, line.pid)
        first = role is not Role.UNKNOWN and speaker not in self._spoken
        stamped = line.engine_ns is not None or line.outer_ns is not None
        if first or (service.ended and line.headed and stamped):
            self._spoken.add(speaker)
            self.observations.append(Observation(say=Say.PROCESS_SPEAKS, line=line))
            service.ended = False

    def _observe(self, service: _Service, observation: Observation) -> None:
        self.observations.append(observation)
        service.ended = observation.say in _LAST_WORDS
        if observation.say in _BEGINNINGS:
            self._budget = max(self._budget, _LINES_WHILE_STARTING)
        if observation.say in _OPENERS:
            self._spoken = {
                s for s in self._spoken if s[0] != observation.line.service or s[1] == "front end"
            }
        if observation.say in _READY:
            self._budget = min(self._budget, _LINES_AFTER_READY)

    def _statements(self, service: _Service, line: LogLine) -> _Said:
        """What the line says; a line without a head may end what the one before began."""
        said = list(statements(line.message, headed=line.headed))
        before, message = service.wrapped, line.message.strip()
        if line.headed or line.process:
            before.clear()
        elif not message:
            return said
        elif before and not said:
            said = _wrapped(list(before), message)
        if len(message) <= LONGEST_TEXT:
            before.append(_Part(message, len(line.text), tuple(said)))
        else:
            before.clear()
        return said


def _wrapped(before: list[_Part], message: str) -> _Said:
    """What begins in lines before and ends in this one: cut at a blank, or inside a word."""
    all_of_it = [*(p.text for p in before), message]
    if not may_cross(" ".join(all_of_it)) and not may_cross("".join(all_of_it)):
        return []
    for first in range(len(before)):
        parts = before[first:]
        starts = [" ".join([*(p.text for p in parts), ""])]
        if parts[-1].width >= _FULL_WIDTH:
            starts.append("".join(p.text for p in parts))
        for start in starts:
            said = list(statements(start + message, crossing=len(start)))
            if new := _unsaid(said, parts):
                return new
    return []


def _unsaid(said: _Said, parts: list[_Part]) -> _Said:
    """What the joined lines say and none of them said alone; of a longer saying, the rest."""
    new: _Said = []
    for say, values in said:
        alone = [v for p in parts for s, v in p.said if s is say]
        known = {key for v in alone for key in v}
        rest = {key: value for key, value in values.items() if key not in known}
        if rest or not alone:
            new.append((say, rest))
    return new


def _apart_ns(before: LogLine, after: LogLine) -> int:
    if before.outer_ns is not None and after.outer_ns is not None:
        return after.outer_ns - before.outer_ns
    if before.engine_ns is not None and after.engine_ns is not None:
        return after.engine_ns - before.engine_ns
    return 0
