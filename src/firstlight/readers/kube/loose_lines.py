"""
Single lines that people paste, or that a small script of theirs printed.

    44x Nominated: Pod should schedule on: nodeclaim/gpu-1 (vllm-0.18ec952eb4954c0f)
    BackOff: count=3; last=2026-05-20T07:31:46+00:00; Back-off restarting failed container
    {"type": "Ready", "status": "False", ..., "last_transition_time": "2026-05-20T07:30:56+00:00"}
    17:44:13.944 registered nodeclaim gpu-1

The last form has no date. Its stamps are nanoseconds since a midnight that is the same
for all lines of a text; a clock that falls back by more than half a day has passed one.
"""

import json
import re
from dataclasses import dataclass

from firstlight.readers.kube.event_rows import Row, row
from firstlight.readers.kube.printed_moments import Occurrences, Printed, printed
from firstlight.readers.stamps import DAY_NS, STAMP, unix_ns

_REASON = r"([A-Z][A-Za-z0-9]{0,60}[a-z][A-Za-z0-9]{0,60})"
_COUNTED = re.compile(
    rf"(?:([0-9]{{1,9}})x )?{_REASON}: (.{{1,4000}}) \((\S{{1,253}}\.[0-9a-f]{{16}})\)$"
)
_LISTED = re.compile(
    rf"{_REASON}: count=([0-9]{{1,9}}); (?:first=(\S{{1,40}}); )?last=(\S{{1,40}}); (.*)"
)
_TIMED = re.compile(
    rf"(?:({STAMP})|([0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}})(?:[.,]([0-9]{{1,9}}))?)\s+(\S.*)"
)
_STEP = re.compile(
    r"(created|launched|registered|initialized) (?:node ?claim|machine) "
    r"([a-z0-9][a-z0-9.-]{0,252})$"
)
_SAID_BY_ONE = {"Pod should schedule on: ": "Nominated", "Successfully assigned ": "Scheduled"}
"""Messages that only one kind of event has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionLine:
    """A condition, alone on its line."""

    type: str
    status: str
    reason: str
    message: str
    transition: Printed | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """A step of a NodeClaim, alone on its line."""

    step: str
    claim: str
    moment: Printed


class LooseLines:
    """Reads line after line; remembers the clock, to see midnight pass."""

    def __init__(self) -> None:
        self._before_ns = 0
        self._days = 0

    def read(self, number: int, line: str) -> Row | ConditionLine | StepLine | None:
        """What the line says; None if nothing."""
        text = line.strip()
        if text.startswith("{"):
            return _condition(text.rstrip(","))
        if found := _TIMED.match(text) if text[:1].isdecimal() else None:
            return self._timed(number, text, found)
        if "count=" in text:
            return _listed(number, text)
        return _counted(number, text) if text.endswith(")") else None

    def _timed(self, number: int, text: str, found: re.Match[str]) -> Row | StepLine | None:
        stamp, clock, fraction, words = found.groups()
        step = _STEP.match(words)
        reason = next((r for start, r in _SAID_BY_ONE.items() if words.startswith(start)), "")
        if not step and not reason:
            return None
        moment = printed(stamp) if stamp else self._since_midnight(clock, fraction or "")
        if moment is None:
            return None
        if step:
            return StepLine(step=step[1], claim=step[2], moment=moment)
        return row(
            line=number,
            text=text,
            cells={"reason": reason, "message": words},
            seen=Occurrences(first=moment, last=moment),
        )

    def _since_midnight(self, clock: str, fraction: str) -> Printed | None:
        read = unix_ns(f"1970-01-01T{clock}" + (f".{fraction}" if fraction else ""))
        if read is None:
            return None
        if self._before_ns - read[0] > DAY_NS // 2:
            self._days += 1
        self._before_ns = read[0]
        at_ns = read[0] + self._days * DAY_NS
        return Printed(ns=at_ns, resolution_ns=read[1], is_undated=True)


def _counted(number: int, text: str) -> Row | None:
    found = _COUNTED.match(text)
    if not found:
        return None
    count, reason, message, name = found.groups()
    cells = {"reason": reason, "message": message, "name": name}
    read = row(
        line=number, text=text, cells=cells, seen=Occurrences(count=int(count) if count else 1)
    )
    return read if read.named_ns is not None else None


def _listed(number: int, text: str) -> Row | None:
    found = _LISTED.match(text)
    if not found:
        return None
    reason, count, first, last, message = found.groups()
    end = printed(last)
    if end is None:
        return None
    begin = printed(first) if first else (end if int(count) == 1 else None)
    return row(
        line=number,
        text=text,
        cells={"reason": reason, "message": message},
        seen=Occurrences(first=begin, last=end, count=int(count)),
    )


def _condition(text: str) -> ConditionLine | None:
    if '"type"' not in text or '"status"' not in text or "ransition" not in text:
        return None
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    words = {key: value for key, value in read.items() if isinstance(value, str)}
    moment = printed(words.get("last_transition_time") or words.get("lastTransitionTime") or "")
    if "type" not in words or words.get("status") not in ("True", "False", "Unknown"):
        return None
    return ConditionLine(
        type=words["type"],
        status=words["status"],
        reason=words.get("reason", ""),
        message=words.get("message", ""),
        transition=None if moment is None or moment.is_age else moment,
    )
