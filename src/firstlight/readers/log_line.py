"""
One line of a vLLM log, taken apart.

vLLM's record is `(Process pid=N) LEVEL MM-DD HH:MM:SS [file.py:N] message`, in
dialects: no process before 0.10, no opening bracket before 0.8, a rank instead
of a name for tensor-parallel workers, a stage or VLLM_LOGGING_PREFIX in front, two
processes in front where a worker's output went through the engine's, a damaged
bracket or no stamp in a copied log. Messages of other programs in the same stream
(uvicorn, progress bars, tracebacks) have no such head. File names and line numbers
move with every release, so only the message is ever matched.
"""

import re
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from firstlight.core.evidence import Evidence
from firstlight.core.units import NS_PER_S
from firstlight.readers.outer_layers import Peeled, last_redraw, peel
from firstlight.readers.stamps import engine_ns

LONGEST_TEXT = 2000
"""Characters of a line kept as evidence."""
_MOST_NAMES = 256


class Role(StrEnum):
    """Which of the engine's processes speaks."""

    FRONT_END = "front end"
    ENGINE_CORE = "engine core"
    WORKER = "worker"
    UNKNOWN = ""


# A tuple, because a log of a hundred megabytes has a million of them.
class LogLine(NamedTuple):
    """A line with its layers peeled and its head read."""

    number: int
    text: str
    """As it stood in the artefact, carriage returns resolved; evidence."""
    message: str
    service: str = ""
    process: str = ""
    pid: int | None = None
    level: str = ""
    outer_ns: int | None = None
    outer_resolution_ns: int = 0
    engine_ns: int | None = None
    """vLLM's own stamp as nanoseconds since 1 January; None where the line has none."""
    headed: bool = False
    """Whether the line has vLLM's head: one without may continue the line before it."""
    prefix: str = ""
    """What stood in front of the head and is no process: VLLM_LOGGING_PREFIX, a stream's name."""

    def quoted(self, artefact: str) -> Evidence:
        """The line as evidence."""
        return Evidence(artefact=artefact, line=self.number, text=self.text)

    @property
    def role(self) -> Role:
        return role_of(self.process)


@lru_cache(maxsize=_MOST_NAMES)
def role_of(process: str) -> Role:
    """The role that a process name of any version stands for."""
    name = process.lower()
    if name.startswith(("apiserver", "mainprocess")):
        return Role.FRONT_END
    if name.startswith("enginecore"):
        return Role.ENGINE_CORE
    if name.startswith(("worker", "vllmworker", "rayworker")):
        return Role.WORKER
    return Role.UNKNOWN


_PROCESS = re.compile(
    r"\(?(?P<process>[A-Za-z][\w.-]*(?: TP\d+)?)(?: rank=(?P<rank>\d+))?"
    r" pid=(?P<pid>\d+)(?:, ip=[\d.]+)?\) ?"
)
_RUBBISH = re.compile(r"[^\x00-\x7f]{1,4}(?=\()")
_BRACKETED = re.compile(r"\[(?P<process>(?:Worker|EngineCore|APIServer)\w*)\] ")
_RANK = re.compile(r"\[rank\d+\]: ?")
"""torch puts it before each line of a traceback."""
_FILE = r"(?:\[?[\w./<>-]+\.py(?::\d+)?\[?\]+(?: |$))"
_HEAD = re.compile(
    r"(?<![A-Z])(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) {1,5}"
    rf"(?:\d{{4}}-)?(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,]\d{{1,6}})?(?: |$){_FILE}?"
)
_STAMPLESS_HEAD = re.compile(
    rf"(?<![A-Za-z])(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)\b[^\[\]]{{0,24}}(?=\[){_FILE}"
)
_FILE_ONLY = re.compile(rf"(?:(?=\[){_FILE}|[\w./-]+\.py:\d+ {{2,}})")
_OTHER_LEVEL = re.compile(r"\b(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b[ \]]*[-:|] *")
_USUAL = re.compile(
    r"\((?P<process>[A-Za-z][\w.-]*) pid=(?P<pid>\d{1,11})\) "
    r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) "
    r"(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) \[[\w./<>-]+\.py:\d+\] "
)
"""The whole head of nine records of ten, in one look; the dialects take several."""
_HEAD_WITHIN = 200
"""A record's head ends within so many characters, whatever prefix was configured."""
_MOST_RACED = 16_000
_PLACE = ".py:"
"""In the head of every record that may have raced another."""
_NEXT_RECORD = re.compile(
    r"(?:\([A-Za-z][\w.-]*(?: rank=\d+)? pid=\d+(?:, ip=[\d.]+)?\) ?)*"
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./<>-]+\.py:\d+\]"
)


def read_line(number: int, raw: str) -> LogLine:
    """Take one line apart; never fails, whatever the text."""
    return from_peeled(number, peel(raw.rstrip("\r\n")))


def read_records(number: int, peeled: Peeled) -> list[LogLine]:
    """The records of one line: several where JSON holds line ends or two writers raced."""
    text = peeled.text
    parts = text.split("\n") if "\n" in text else _raced(text)
    if len(parts) == 1:
        return [from_peeled(number, peeled)]
    return [from_peeled(number, peeled._replace(text=part)) for part in parts]


def _raced(text: str) -> list[str]:
    """Cut where another record begins; not inside quotes, where somebody repeats one."""
    if text.count(_PLACE) < 2 or len(text) > _MOST_RACED or "Received request" in text:  # noqa: PLR2004
        return [text]
    found = [m.start() for m in _NEXT_RECORD.finditer(text)]
    cuts = [at for at in found if at and text[at - 1] not in "\"'`\\"]
    if len(found) < 2 or not cuts:  # noqa: PLR2004
        return [text]
    return [text[a:b] for a, b in pairwise([0, *cuts, len(text)])]


def from_peeled(number: int, peeled: Peeled) -> LogLine:
    """The same for a line whose layers are off already."""
    text = last_redraw(peeled.text).rstrip()
    if (usual := _USUAL.match(text)) and not peeled.fields:
        process, pid, level, *stamp = usual.groups()
        return LogLine(
            number=number,
            text=text[:LONGEST_TEXT],
            message=text[usual.end() :],
            service=peeled.service,
            process=process,
            pid=int(pid),
            level=level,
            outer_ns=peeled.outer_ns,
            outer_resolution_ns=peeled.resolution_ns,
            engine_ns=engine_ns(*stamp),
            headed=True,
        )
    return _in_dialect(number, peeled, text)


def _in_dialect(number: int, peeled: Peeled, text: str) -> LogLine:
    process, pid, rest = _process(text)
    level, stamp, message, prefix = "", None, rest, ""
    headed = False
    start = rest[:_HEAD_WITHIN]
    if head := _HEAD.search(start):
        level, headed = head.group("level"), True
        stamp = engine_ns(*head.groups()[1:6])
        # The head may be longer than what was searched.
        if len(rest) > _HEAD_WITHIN:
            head = _HEAD.match(rest, head.start()) or head
        message = rest[head.end() :]
        process, pid, prefix = _before(rest[: head.start()], process, pid)
    elif head := _STAMPLESS_HEAD.search(start):
        level, headed, message = head.group("level"), True, rest[head.end() :]
        process, pid, prefix = _before(rest[: head.start()], process, pid)
    elif found := _FILE_ONLY.match(rest):
        message, headed = rest[found.end() :], True
    else:
        if found := _RANK.match(rest):
            message = rest[found.end() :]
        if found := _OTHER_LEVEL.search(start):
            level = found.group(1)
    line = LogLine(
        number=number,
        text=text[:LONGEST_TEXT],
        message=message,
        service=peeled.service,
        process=process,
        pid=pid,
        level=level,
        outer_ns=peeled.outer_ns,
        outer_resolution_ns=peeled.resolution_ns,
        engine_ns=stamp,
        headed=headed,
        prefix=prefix,
    )
    return _with_fields(line, peeled) if peeled.fields else line


def _process(text: str) -> tuple[str, int | None, str]:
    """Who speaks, and the rest: the innermost where one process wrote through another."""
    at, name, pid = 0, "", None
    if not text.isascii() and (found := _RUBBISH.match(text)):
        at = found.end()
    while found := _PROCESS.match(text, at):
        name, pid, at = _name(found), _small_int(found["pid"]), found.end()
    if name:
        return name, pid, text[at:]
    if found := _BRACKETED.match(text):
        return found["process"], None, text[found.end() :]
    return "", None, text


def _name(found: re.Match[str]) -> str:
    rank = found["rank"]
    return (found["process"] + (f"_TP{rank}" if rank else "")).replace(" ", "_")


def _before(text: str, process: str, pid: int | None) -> tuple[str, int | None, str]:
    """What stands between the line's beginning and the head: a prefix, then a process."""
    if not text:
        return process, pid, ""
    found = None
    for found in _PROCESS.finditer(text):
        process, pid = _name(found), _small_int(found["pid"])
    return process, pid, text if found is None else text[: found.start()]


def _small_int(digits: str) -> int | None:
    """A process id; longer digits are not one."""
    return int(digits) if len(digits) < 12 else None  # noqa: PLR2004


_PLAIN_STAMP = re.compile(r"(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)")


def _with_fields(line: LogLine, peeled: Peeled) -> LogLine:
    """What a JSON record says beside its message; the message's own head wins."""
    fields = peeled.fields
    level = line.level or fields.get("levelname") or fields.get("level")
    name = line.process or fields.get("processName") or fields.get("vllm_process_name")
    pid = line.pid if line.pid is not None else fields.get("process")
    stamp = line.engine_ns
    own = fields.get("asctime")
    if stamp is None and isinstance(own, str) and (found := _PLAIN_STAMP.match(own)):
        stamp = engine_ns(*found.groups())
    return line._replace(
        process=name if isinstance(name, str) else "",
        pid=pid if isinstance(pid, int) and not isinstance(pid, bool) else None,
        level=level if isinstance(level, str) else "",
        outer_resolution_ns=line.outer_resolution_ns or NS_PER_S,
        engine_ns=stamp,
        headed=line.headed or "levelname" in fields,
    )
