"""
A vLLM log, read for what it says about starting.

Two speeds. While an engine starts, every line is taken apart: its stamp may bound
a silence, it may be the first word of a process, it may continue a line that was
wrapped by whoever pasted it. A serving engine then prints hundreds of megabytes
that say nothing about the start; those are only searched for a few literals, and
the lines that have one are taken apart.

The result is a list of observations in the order of the file. What they mean
together is decided in `explain`.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from firstlight.core.units import NS_PER_MS
from firstlight.readers.log_line import LONGEST_TEXT, LogLine, Role, from_peeled
from firstlight.readers.outer_layers import Peeled, peel
from firstlight.readers.raw_lines import LONGEST_BYTES, Block, blocks
from firstlight.readers.wordings import ALL
from firstlight.readers.wordings.wording import Say

SILENCE_NS = 500 * NS_PER_MS
"""Two neighbouring lines further apart than this are worth quoting."""

_LINES_WHILE_STARTING = 20_000
_LINES_AFTER_READY = 2_000
_WRAPPED_LINES = 5
"""A message wrapped by hand is joined over so many lines at most."""

_BEGINNINGS = frozenset(
    {Say.SHELL_SERVE, Say.API_VERSION, Say.BANNER_VERSION, Say.PLATFORM, Say.ENGINE_BEGINS}
)
_READY = frozenset({Say.UVICORN_COMPLETE, Say.ROUTES})

_ANY = re.compile("|".join(sorted({re.escape(w.literal) for w in ALL})))
_WHILE_SERVING = re.compile(
    b"|".join(
        re.escape(w.literal.encode())
        for w in ALL
        if w.say
        in _BEGINNINGS
        | {
            Say.SLEEP_ASKED,
            Say.ALLOCATOR_FREED,
            Say.SLEEP_FREED,
            Say.ASLEEP,
            Say.AWAKE,
            Say.MODEL_LOADED,
            Say.ENGINE_READY,
            Say.FATAL,
            Say.TRACEBACK,
        }
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something vLLM said, and the line it said it in."""

    say: Say
    line: LogLine
    values: dict[str, str] = field(default_factory=dict)
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


def read_log(artefact: str, chunks: Iterable[bytes]) -> Log:
    """Read an artefact from its bytes, in chunks of any size."""
    reader = _Reader()
    lines, has_nul = 0, False
    for block in blocks(chunks):
        has_nul = has_nul or b"\0" in block.data
        lines = block.first_line + block.data.count(b"\n") - block.data.endswith(b"\n")
        reader.read(block)
    return Log(
        artefact=artefact,
        observations=tuple(reader.observations),
        silences=tuple(reader.silences),
        lines=lines,
        has_nul=has_nul,
    )


class _Reader:
    """The state between lines: what is unfinished, who has spoken, how much was read."""

    def __init__(self) -> None:
        self.observations: list[Observation] = []
        self.silences: list[Silence] = []
        self._budget = _LINES_WHILE_STARTING
        self._spoken: set[tuple[str, str, int | None]] = set()
        self._unfinished: dict[tuple[str, str], Peeled] = {}
        self._wrapped: dict[str, deque[str]] = {}
        self._last_stamped: dict[str, LogLine] = {}

    def read(self, block: Block) -> None:
        data, number, at = block.data, block.first_line, 0
        while at < len(data):
            if self._budget > 0:
                end = data.find(b"\n", at)
                end = len(data) if end < 0 else end
                self._read_line(number, data[at:end])
                number, at = number + 1, end + 1
                continue
            found = _WHILE_SERVING.search(data, at)
            if not found:
                return
            start = data.rfind(b"\n", at, found.start()) + 1 or at
            number += data.count(b"\n", at, start)
            end = data.find(b"\n", start)
            end = len(data) if end < 0 else end
            self._read_line(number, data[start:end])
            number, at = number + 1, end + 1

    def _read_line(self, number: int, raw: bytes) -> None:
        self._budget -= 1
        peeled = peel(raw.decode("utf-8", "replace").rstrip("\r\n"))
        whole = self._finished(peeled)
        if whole is None:
            return
        line = from_peeled(number, whole)
        self._listen(line)
        for say, values in self._statements(line):
            self._observe(Observation(say=say, line=line, values=values))

    def _finished(self, peeled: Peeled) -> Peeled | None:
        """Join what a container runtime cut; None while the rest is still to come."""
        if not peeled.stream:
            return peeled
        key = (peeled.service, peeled.stream)
        held = self._unfinished.pop(key, None)
        if held:
            text = held.text + peeled.text
            if len(text) > LONGEST_BYTES:
                text = text[: LONGEST_BYTES // 2] + text[-LONGEST_BYTES // 2 :]
            peeled = replace(peeled, text=text)
        if peeled.unfinished:
            self._unfinished[key] = peeled
            return None
        return peeled

    def _listen(self, line: LogLine) -> None:
        """Note silences, and the first word of each process."""
        if line.outer_ns is not None or line.engine_ns is not None:
            before = self._last_stamped.get(line.service)
            if before and _apart_ns(before, line) >= SILENCE_NS:
                self.silences.append(Silence(before=before, after=line))
            self._last_stamped[line.service] = line
        if line.role is not Role.UNKNOWN:
            speaker = (line.service, line.role.value, line.pid)
            if speaker not in self._spoken:
                self._spoken.add(speaker)
                self.observations.append(Observation(say=Say.PROCESS_SPEAKS, line=line))

    def _observe(self, observation: Observation) -> None:
        self.observations.append(observation)
        if observation.say in _BEGINNINGS:
            self._budget = _LINES_WHILE_STARTING
        if observation.say in (Say.API_VERSION, Say.BANNER_VERSION, Say.SHELL_SERVE):
            self._spoken = {
                s for s in self._spoken if s[0] != observation.line.service or s[1] == "front end"
            }
        if observation.say in _READY:
            self._budget = min(self._budget, _LINES_AFTER_READY)

    def _statements(self, line: LogLine) -> list[tuple[Say, dict[str, str]]]:
        """What the line says; a line without a head may end what the one before began."""
        said = list(statements(line.message))
        before = self._wrapped.setdefault(line.service, deque(maxlen=_WRAPPED_LINES))
        message = line.message.strip()
        if line.headed or line.process:
            before.clear()
        elif message:
            for first in range(len(before)) if not said else ():
                start = " ".join([*list(before)[first:], ""])
                said.extend(statements(start + message, crossing=len(start)))
        before.append(message[:LONGEST_TEXT])
        return said


def statements(
    message: str, *, crossing: int | None = None
) -> Iterator[tuple[Say, dict[str, str]]]:
    """Everything a message says.

    Args:
        message: text after the record's head.
        crossing: only statements that begin before this offset and end behind it.
    """
    if not _ANY.search(message):
        return
    for entry in ALL:
        if entry.literal not in message:
            continue
        found = entry.pattern.search(message)
        if found and (crossing is None or found.start() < crossing < found.end()):
            yield entry.say, {k: v for k, v in found.groupdict().items() if v is not None}


def _apart_ns(before: LogLine, after: LogLine) -> int:
    if before.outer_ns is not None and after.outer_ns is not None:
        return after.outer_ns - before.outer_ns
    if before.engine_ns is not None and after.engine_ns is not None:
        return after.engine_ns - before.engine_ns
    return 0
