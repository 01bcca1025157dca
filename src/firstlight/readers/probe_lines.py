"""
One process's probe file, line by line, into values that can be relied on.

The probe writes JSON lines and its process may be killed in the middle of one,
so a damaged line is ordinary: it is counted and skipped, as are records of a
kind that this reader does not know. Everything else is checked field by field
here, once, so that nothing behind this module meets a surprise. Times stay as
the probe told them, nanoseconds of CLOCK_MONOTONIC.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_FILE_NAME = re.compile(r"(\d{1,10})-\d+\.jsonl")
_LATEST_NS = 2**62
"""Beyond a century of uptime: not a time."""
CONSTRUCTION = "construction"
"""A word of the spans that tell what a process is for."""
_DONE = ('{"k":"import",', '{"k":"span",', '{"k":"wait",', '{"k":"begin",')
"""How the probe begins a record of something done or waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The record with which an interpreter introduces itself."""

    line: int
    ppid: int
    start_ns: int
    """When the kernel began the process."""
    start_resolution_ns: int
    """How exactly that is known; 0 where the kernel told nothing and `at_ns` stands in."""
    at_ns: int
    """When the probe was loaded."""
    forked: bool
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Something a process did, or waited for, between two moments."""

    line: int
    kind: str
    """"import", "span", or "wait"."""
    group: str
    name: str
    start_ns: int
    end_ns: int
    detail: str = ""
    main_thread: bool = True
    child: int | None = None
    """The process whose end was waited for; None where it was no process."""
    finished: bool = True
    """False for what had begun and was never seen to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begetting:
    """A child process was started."""

    child: int
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """Compile cache counters of the process, at one moment."""

    line: int
    when: str
    at_ns: int
    values: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Modules:
    """How many modules a process has loaded so far, and from what."""

    line: int
    read: int
    """From bytecode that was there."""
    compiled: int
    """From their sources."""


@dataclass(slots=True)
class ProbeFile:
    """All that one file says."""

    name: str
    pid: int
    openings: list[Opening] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    """Names given to the process, in order."""
    intervals: list[Interval] = field(default_factory=list)
    begetting: list[Begetting] = field(default_factory=list)
    counting: list[Counting] = field(default_factory=list)
    modules: Modules | None = None
    """As last told; None where it was not."""
    exited_ns: int | None = None
    """When its interpreter began to shut down; None for one that was killed."""
    damaged: int = 0
    """Lines that could not be read."""
    passed_over: int = 0
    """Records of what it did that nobody wanted to know."""
    last_line: int = 0
    last_ns: int = 0
    """The latest moment that any record tells."""


def read_file(name: str, text: str, *, deeds: bool = True) -> ProbeFile:
    """Read what can be read of one file; never raises.

    Args:
        name: the file's name, which begins with the process id.
        text: its content, however damaged.
        deeds: whether to read what it did: nine records of ten. Without them it is known who it
            was and what it counted.
    """
    told = _FILE_NAME.search(name)
    file = ProbeFile(name=name, pid=int(told[1]) if told else 0)
    unended: dict[int, Interval] = {}
    lines = list(enumerate(text.split("\n"), start=1))
    if not deeds:
        every, telling = len(lines), CONSTRUCTION in text
        lines = [
            (number, line)
            for number, line in lines
            if not (line.startswith(_DONE) and line.endswith("}"))
            or (telling and CONSTRUCTION in line)
        ]
        file.passed_over = every - len(lines)
    for number, line in lines:
        if not line.strip():
            continue
        file.last_line = number
        record = _object(line)
        if record is None or not _take(file, unended, number, record):
            file.damaged += 1
    file.intervals += unended.values()
    return file


def _object(line: str) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _take(
    file: ProbeFile, unended: dict[int, Interval], line: int, record: dict[str, object]
) -> bool:
    """Put the record where it belongs; False if its fields are not what its kind promises."""
    moments = list(_moments(record))
    file.last_ns = max([file.last_ns, *moments])
    kind = record.get("k")
    if kind == "process":
        return _open(file, line, record)
    if kind in ("import", "span", "wait", "begin"):
        return _interval(file, unended, line, record)
    at_ns = _time(record, "t")
    if kind == "exit":
        file.exited_ns = at_ns
        return at_ns is not None
    if kind == "name":
        name = _text(record, "n")
        file.called += [name] if name else []
        return bool(name)
    if kind == "spawn":
        child = _time(record, "child")
        if child is not None and at_ns is not None:
            file.begetting.append(Begetting(child=child, at_ns=at_ns))
        return child is not None and at_ns is not None
    if kind == "modules":
        read, compiled = _time(record, "read"), _time(record, "compiled")
        if read is not None and compiled is not None:
            file.modules = Modules(line=line, read=read, compiled=compiled)
        return read is not None and compiled is not None
    if kind == "counters":
        values = record.get("v")
        if not isinstance(values, dict) or at_ns is None:
            return False
        counts = {k: v for k, v in values.items() if type(v) is int}
        file.counting.append(
            Counting(line=line, when=_text(record, "when"), at_ns=at_ns, values=counts)
        )
    return True


def _open(file: ProbeFile, line: int, record: dict[str, object]) -> bool:
    start_ns, at_ns = _time(record, "start_ns"), _time(record, "at_ns")
    pid, ppid = _time(record, "pid"), _time(record, "ppid")
    if start_ns is None or at_ns is None or pid is None or ppid is None or at_ns < start_ns:
        return False
    file.pid = pid
    file.openings.append(
        Opening(
            line=line,
            ppid=ppid,
            start_ns=start_ns,
            start_resolution_ns=_time(record, "start_resolution_ns") or 0,
            at_ns=at_ns,
            forked=record.get("forked") is True,
            program=_text(record, "program"),
        )
    )
    return True


def _interval(
    file: ProbeFile, unended: dict[int, Interval], line: int, record: dict[str, object]
) -> bool:
    kind, number = _text(record, "k"), _time(record, "i")
    start_ns, end_ns = _time(record, "s"), _time(record, "e")
    begins = kind == "begin"
    if begins:
        kind, end_ns = ("wait" if record.get("w") else "span"), start_ns
    name = _text(record, "n")
    if start_ns is None or end_ns is None or end_ns < start_ns or not name:
        return False
    interval = Interval(
        line=line,
        kind=kind,
        group=_text(record, "g"),
        name=name,
        start_ns=start_ns,
        end_ns=end_ns,
        detail=_text(record, "x"),
        main_thread="th" not in record,
        child=_time(record, "child"),
        finished=not begins,
    )
    if not begins:
        file.intervals.append(interval)
        unended.pop(-1 if number is None else number, None)
    elif number is not None:
        unended[number] = interval
    return not begins or number is not None


def _moments(record: Mapping[str, object]) -> Iterator[int]:
    for key in ("s", "e", "t", "at_ns"):
        moment = _time(record, key)
        if moment is not None:
            yield moment


def _time(record: Mapping[str, object], key: str) -> int | None:
    value = record.get(key)
    return value if type(value) is int and 0 <= value < _LATEST_NS else None


def _text(record: Mapping[str, object], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
