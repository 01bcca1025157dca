"""
Peeling off what others put around a line.

Between vLLM and the reader stand a container runtime, docker or compose, a
terminal, a CI system, kubectl with `--prefix` or `--timestamps`. Each may add a
layer, in any order. They are peeled from the outside until nothing known is
left; what they say about time is kept, and so is the name of the service when
several logs are woven together.
"""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from firstlight.readers.stamps import unix_ns

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_STAMP = r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\s?(?:Z|[+-]\d\d:?\d\d)?)"
_CRI = re.compile(_STAMP.replace("[T ]", "T") + r" (stdout|stderr) ([FP]) ?")
_STAMPED = re.compile(r"\[?" + _STAMP + r"\]?(?: \|)?(?: +(?!-)|$)")
_COMPOSE = re.compile(r"([\w.-]+?[-_]\d+\s+|[\w.-]+\s{2,})\| ")
_KUBECTL = re.compile(r"\[(pod/[^\]]+)\] ")
_DEEPEST = 6
"""More layers than this were never seen; a bound keeps odd input from costing time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeled:
    """What is left of a line, and what its layers said."""

    text: str
    service: str = ""
    """Compose service or pod; empty where the log is one program's."""
    outer_ns: int | None = None
    """Unix nanoseconds of the innermost outer stamp; None where no layer had one."""
    resolution_ns: int = 0
    stream: str = ""
    """stdout or stderr where the runtime said which."""
    unfinished: bool = False
    """The runtime cut the line here; the rest follows in a later record of this stream."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Fields of a JSON log record: level, process, stamp; empty for plain text."""


def peel(raw: str) -> Peeled:
    """Take off every known layer, outermost first."""
    line = Peeled(text=_ANSI.sub("", raw) if "\x1b" in raw else raw)
    for _ in range(_DEEPEST):
        inner = _one_layer(line)
        if inner is None:
            break
        line = inner
    return line


def last_redraw(text: str) -> str:
    """The last state of a line that redraws itself with carriage returns."""
    if "\r" not in text:
        return text
    return next((part for part in reversed(text.split("\r")) if part.strip()), "")


def _one_layer(line: Peeled) -> Peeled | None:
    text = line.text
    if text.startswith("{"):
        return _json(line)
    if text.startswith("│") or text.endswith("│"):
        return replace(line, text=text.strip("│").strip())
    if found := _CRI.match(text):
        stamped = _stamped(line, found.group(1), text[found.end() :])
        return stamped and replace(
            stamped, stream=found.group(2), unfinished=found.group(3) == "P"
        )
    if found := _STAMPED.match(text):
        return _stamped(line, found.group(1), text[found.end() :])
    if found := _KUBECTL.match(text):
        return replace(line, text=text[found.end() :], service=found.group(1))
    # Compose stands outermost; behind a stamp the same shape is a log format with bars.
    if line.outer_ns is None and not line.service and (found := _COMPOSE.match(text)):
        return replace(line, text=text[found.end() :], service=found.group(1).rstrip())
    return None


def _stamped(line: Peeled, stamp: str, rest: str) -> Peeled | None:
    moment = unix_ns(stamp)
    if moment is None:
        return None
    return replace(line, text=rest, outer_ns=moment[0], resolution_ns=moment[1])


_MESSAGE_KEYS = ("message", "log", "msg", "textPayload", "line")
_TIME_KEYS = ("time", "timestamp", "ts", "asctime")


def _json(line: Peeled) -> Peeled | None:
    """docker's json-file, vLLM's own JSON formatter, and log shippers' envelopes."""
    try:
        record = json.loads(line.text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    text = next((record[k] for k in _MESSAGE_KEYS if isinstance(record.get(k), str)), None)
    if text is None:
        return None
    peeled = replace(line, text=text.rstrip("\n"), fields={**line.fields, **record})
    stamp = next((record[k] for k in _TIME_KEYS if isinstance(record.get(k), str)), None)
    moment = unix_ns(stamp) if stamp else None
    if moment is None:
        return peeled
    return replace(peeled, outer_ns=moment[0], resolution_ns=moment[1])
