"""
Peeling off what others put around a line.

Between vLLM and the reader stand a container runtime, docker or compose, a
terminal, a CI system, journald or syslog, kubectl, stern, a log shipper. Each may
add a layer, in any order. They are peeled from the outside until nothing known is
left; what they say about time is kept, and so is the name of the service when
several logs are woven together. Envelopes of JSON are read in `json_envelopes`.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from firstlight.readers.json_envelopes import opened
from firstlight.readers.stamps import STAMP, month_ns, unix_ns

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_LOST_ANSI = re.compile(r"(?:\^\[|\\x1b|\\u001b|\\033)?\[\d{1,3}(?:;\d{1,3}){0,4}m")
"""A colour whose escape character was lost or spelled out on the way into a paste."""

KNOWN = (
    r"(?=\d{4}-\d\d-|[A-Z][a-z]{2} [ \d]\d |\(\w[^()]{0,60} pid=\d|\{|"
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: \d\d-|:? +\[|: {4}))"
)
"""What can only be the beginning of another layer or of vLLM's own record."""
_CRI = re.compile(rf"({STAMP}) (stdout|stderr) ([FP]) ?")
_STAMPED = re.compile(rf"\[?({STAMP})\]?(?: \|)?(?:[ \t]+(?!-)|$)")
_SYSLOG = re.compile(
    r"(?:<\d{1,3}>)?([A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?) "
    r"\S+ [^\s:\[]+(?:\[\d+\])?: ?"
)
_RFC5424 = re.compile(rf"<\d{{1,3}}>1 ({STAMP}) \S+ \S+ \S+ \S+ (?:-|\[[^\]]*\]) ?\ufeff?")
_HOST = re.compile(r"[\w.-]+ [^\s:\[]+\[\d+\]: ?")
_LABELS = re.compile(r'\{\w+="[^}\n]*\} ?')
_COMPOSE = re.compile(r"([\w.@-]+?[-_.]\d+\s*|[\w.@-]+\s{2,})\|(?: |$)")
_KUBECTL = re.compile(r"\[(pod/[^\]]+)\] ")
_TABS = re.compile(r"[^\t]{1,80}\t[^\t]{1,80}\t\ufeff?(?=\d{4}-)")
_MARKED = re.compile(rf"(?:(?:> ?)+|\d{{1,7}}[:-]){KNOWN}")
"""A quoted line of a mail or issue; a line that `grep -n` numbered."""
_NAMED = re.compile(
    r"([a-z0-9][a-z0-9.]*-[a-z0-9.-]* [a-z0-9][a-z0-9.-]*|[\w.@-]+ \|) "
    r"(?=\d{4}-\d\d-\d\d[T ]|\(\w[^()]{0,60} pid=\d|"
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: \d\d-|: {4}))"
)
"""stern's `pod container`, compose's `service |` in one column."""
_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
_DEEPEST = 6
"""More layers than this were never seen; a bound keeps odd input from costing time."""
_MOST_NAMES = 100


# A tuple, because every line makes two of them.
class Peeled(NamedTuple):
    """What is left of a line, and what its layers said."""

    text: str
    service: str = ""
    """Compose service or pod; empty where the log is one program's."""
    outer_ns: int | None = None
    """Nanoseconds of the innermost outer stamp; None where no layer had one."""
    resolution_ns: int = 0
    stream: str = ""
    """stdout or stderr where the runtime said which."""
    unfinished: bool = False
    """The runtime cut the line here; the rest follows in a later record of this stream."""
    fields: Mapping[str, Any] = MappingProxyType({})
    """Fields of a JSON log record: level, process, stamp; empty for plain text."""


class Peeler:
    """Takes layers off, line after line, and remembers names that only some lines explain.

    A progress bar behind stern's `pod container` looks like any text; what was seen in
    front of a record of vLLM is a name there too.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def peel(self, raw: str) -> Peeled:
        """Take off every known layer, outermost first."""
        text = _plain(raw)
        line = _runtime(text) or Peeled(text)
        for _ in range(_DEEPEST):
            inner = self._one_layer(line)
            if inner is None:
                break
            line = inner
        return line

    def _one_layer(self, line: Peeled) -> Peeled | None:
        text = line.text
        if not text:
            return None
        if text[0] == "{":
            return _json(line) or _cut(line, _LABELS)
        if text[0] == "│" or text[-1] == "│":
            return line._replace(text=text.strip("│").strip())
        # Where vLLM's record begins with its process, no layer is left: the most common line.
        if text[0] == "(" and "\t" not in text:
            return None
        if _CRI.match(text):
            inner = _runtime(text)
            return inner and inner._replace(service=line.service, fields=line.fields)
        if found := _STAMPED.match(text):
            stamped = _stamped(line, found.group(1), text[found.end() :])
            return stamped and (_cut(stamped, _HOST) or stamped)
        return _syslog(line) or self._named(line)

    def _named(self, line: Peeled) -> Peeled | None:
        """Layers that say who speaks; and marks that say nothing at all."""
        text = line.text
        if found := _KUBECTL.match(text):
            return line._replace(text=text[found.end() :], service=found.group(1))
        if stripped := _cut(line, _MARKED) or _cut(line, _TABS):
            return stripped
        if line.service:
            return None
        for name, service in self._names.items():
            if text.startswith(name):
                return line._replace(text=text[len(name) :], service=service)
        if (found := _NAMED.match(text)) and found.group(1).rstrip(" |") not in _LEVELS:
            name = found.group(1) + " "
            if len(self._names) < _MOST_NAMES:
                self._names[name] = found.group(1).rstrip(" |")
            return line._replace(text=text[len(name) :], service=found.group(1).rstrip(" |"))
        # Compose stands outermost; behind a stamp the same shape is a log format with bars.
        if line.outer_ns is None and (found := _COMPOSE.match(text)):
            name = found.group(1).rstrip()
            if name not in _LEVELS and any(c.isalpha() for c in name):
                return line._replace(text=text[found.end() :], service=name)
        return None


def peel(raw: str) -> Peeled:
    """One line by itself."""
    return Peeler().peel(raw)


def last_redraw(text: str) -> str:
    """The last state of a line that redraws itself with carriage returns."""
    if "\r" not in text:
        return text
    return next((part for part in reversed(text.split("\r")) if part.strip()), "")


def _plain(raw: str) -> str:
    """Without colours and other terminal controls, whole or damaged."""
    text = _ANSI.sub("", raw) if "\x1b" in raw else raw
    if "[0m" in text or "[0;" in text or "[1;" in text:
        text = _LOST_ANSI.sub("", text)
    return text


def _runtime(text: str) -> Peeled | None:
    """What a container runtime wrote in front; None where that is not the next layer."""
    found = _CRI.match(text)
    moment = unix_ns(found[1]) if found and text[-1] != "│" else None
    if not found or not moment:
        return None
    return Peeled(
        text=text[found.end() :],
        outer_ns=moment[0],
        resolution_ns=moment[1],
        stream=found[2],
        unfinished=found[3] == "P",
    )


def _cut(line: Peeled, layer: re.Pattern[str]) -> Peeled | None:
    found = layer.match(line.text)
    return line._replace(text=line.text[found.end() :]) if found else None


def _stamped(line: Peeled, stamp: str, rest: str) -> Peeled | None:
    moment = unix_ns(stamp)
    if moment is None:
        return None
    return line._replace(text=rest, outer_ns=moment[0], resolution_ns=moment[1])


def _syslog(line: Peeled) -> Peeled | None:
    """The head of syslog, old and new, and journald's, which is the old one."""
    if found := _RFC5424.match(line.text):
        return _stamped(line, found.group(1), line.text[found.end() :])
    if not (found := _SYSLOG.match(line.text)):
        return None
    moment = month_ns(found.group(1))
    if moment is None:
        return None
    return line._replace(text=line.text[found.end() :], outer_ns=moment[0], resolution_ns=moment[1])


def _json(line: Peeled) -> Peeled | None:
    envelope = opened(line.text)
    if envelope is None:
        return None
    peeled = line._replace(
        text=envelope.text,
        fields={**line.fields, **envelope.fields},
        service=line.service or envelope.service,
    )
    if envelope.unfinished is not None:
        peeled = peeled._replace(stream=envelope.stream, unfinished=envelope.unfinished)
    if envelope.moment is None:
        return peeled
    return peeled._replace(outer_ns=envelope.moment[0], resolution_ns=envelope.moment[1])
