"""
One line of a vLLM log, taken apart.

vLLM's record is `(Process pid=N) LEVEL MM-DD HH:MM:SS [file.py:N] message`, in
dialects: no process before 0.10, no opening bracket before 0.8, a rank instead
of a name for tensor-parallel workers, a stage in front of the level, a damaged
bracket in a copied log. Messages of other programs in the same stream (uvicorn,
progress bars, tracebacks) have no such head. File names and line numbers move
with every release, so only the message is ever matched.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from firstlight.core.units import NS_PER_S
from firstlight.readers.outer_layers import Peeled, last_redraw, peel
from firstlight.readers.stamps import engine_ns

LONGEST_TEXT = 2000
"""Characters of a line kept as evidence."""


class Role(StrEnum):
    """Which of the engine's processes speaks."""

    FRONT_END = "front end"
    ENGINE_CORE = "engine core"
    WORKER = "worker"
    UNKNOWN = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
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

    @property
    def role(self) -> Role:
        return role_of(self.process)


def role_of(process: str) -> Role:
    """The role that a process name of any version stands for."""
    name = process.lower()
    if name.startswith("apiserver"):
        return Role.FRONT_END
    if name.startswith("enginecore"):
        return Role.ENGINE_CORE
    if name.startswith(("worker", "vllmworker", "rayworker")):
        return Role.WORKER
    return Role.UNKNOWN


_PROCESS = re.compile(
    r"^[^\x00-\x7f]{0,4}\(?(?P<process>[A-Za-z][\w.-]*(?: TP\d+)?)(?: rank=(?P<rank>\d+))?"
    r" pid=(?P<pid>\d+)(?:, ip=[\d.]+)?\) ?"
)
_BRACKETED = re.compile(r"^\[(?P<process>(?:Worker|EngineCore|APIServer)\w*)\] ")
_HEAD = re.compile(
    r"\b(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) "
    r"(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) (?:\[?[\w./<>-]+\.py(?::\d+)?\[?\]+ ?)?"
)
_FILE_ONLY = re.compile(r"^\[[\w./<>-]+\.py(?::\d+)?\] ")
_STAGE = re.compile(r"\[Stage-\d+\] $")
_OTHER_LEVEL = re.compile(r"\b(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b[ \]]*[-:|] *")
_HEAD_WITHIN = 200
"""A record's head ends within so many characters, whatever prefix was configured."""


def read_line(number: int, raw: str) -> LogLine:
    """Take one line apart; never fails, whatever the text."""
    return from_peeled(number, peel(raw.rstrip("\r\n")))


def from_peeled(number: int, peeled: Peeled) -> LogLine:
    """The same for a line whose layers are off already."""
    text = last_redraw(peeled.text).rstrip()
    if peeled.fields:
        return _from_json(number, text, peeled)
    process, pid, rest = _process(text)
    level, stamp, message = "", None, rest
    headed = False
    if head := _HEAD.search(rest[:_HEAD_WITHIN]):
        level, headed = head.group("level"), True
        stamp = engine_ns(*head.groups()[1:6])
        message = rest[head.end() :]
        if not process:
            process, pid, _ = _process(rest[: head.start()])
    elif found := _FILE_ONLY.match(rest):
        message, headed = rest[found.end() :], True
    elif found := _OTHER_LEVEL.search(rest[:_HEAD_WITHIN]):
        level, message = found.group(1), rest[found.end() :]
    return LogLine(
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
    )


def _process(text: str) -> tuple[str, int | None, str]:
    if found := _PROCESS.match(text):
        rank = found["rank"]
        name = found["process"] + (f"_TP{rank}" if rank else "").replace(" ", "_")
        return name.replace(" ", "_"), _small_int(found["pid"]), text[found.end() :]
    if found := _BRACKETED.match(text):
        return found["process"], None, text[found.end() :]
    return "", None, text


def _small_int(digits: str) -> int | None:
    """A process id; longer digits are not one."""
    return int(digits) if len(digits) < 12 else None  # noqa: PLR2004


_PLAIN_STAMP = re.compile(r"(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)")


def _from_json(number: int, text: str, peeled: Peeled) -> LogLine:
    """A record of vLLM's JSON formatter, or plain text in a shipper's envelope."""
    fields = peeled.fields
    process, pid, rest = _process(text)
    level = fields.get("levelname") or fields.get("level") or ""
    name = fields.get("processName") or fields.get("vllm_process_name") or process
    number_of = fields.get("process")
    stamp = None
    if isinstance(own := fields.get("asctime"), str) and (m := _PLAIN_STAMP.match(own)):
        stamp = engine_ns(*m.groups())
    head = _HEAD.search(rest[:_HEAD_WITHIN])
    if head:
        level, stamp = head.group("level"), engine_ns(*head.groups()[1:6])
        rest = rest[head.end() :]
    return LogLine(
        number=number,
        text=text[:LONGEST_TEXT],
        message=rest,
        service=peeled.service,
        process=name if isinstance(name, str) else "",
        pid=pid if pid is not None else number_of if isinstance(number_of, int) else None,
        level=level if isinstance(level, str) else "",
        outer_ns=peeled.outer_ns,
        outer_resolution_ns=peeled.resolution_ns or NS_PER_S,
        engine_ns=stamp,
        headed=bool(level or head),
    )
