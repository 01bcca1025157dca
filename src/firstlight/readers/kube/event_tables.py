"""
Tables of events: `kubectl get events`, `kubectl events`, the end of `kubectl describe`.

    LAST SEEN   TYPE   REASON   OBJECT   [SUBOBJECT SOURCE]   MESSAGE   [FIRST SEEN COUNT NAME]
    Type   Reason   Age   From   Message

or whatever custom columns somebody asked for, or rows with no header at all. Columns
stand two spaces apart or more. A header's positions are believed only if the row keeps
to them, since people cut and paste; then the gaps decide, then the shape alone.
"""

import re
from itertools import pairwise

from firstlight.readers.kube.event_rows import REPEATING, Row, row
from firstlight.readers.kube.printed_moments import (
    UNKNOWN,
    Occurrences,
    named_ns,
    occurrences,
    printed,
)

_GAP = re.compile(r" *\t[ \t]*|  +")
_MOST_CELLS = 40
_ROLES = {
    **dict.fromkeys(("lastseen", "last", "lasttimestamp", "lastobserved"), "last"),
    **dict.fromkeys(("firstseen", "first", "firsttimestamp"), "first"),
    **dict.fromkeys(("time", "timestamp", "date", "when", "eventtime", "age"), "time"),
    **dict.fromkeys(("created", "creationtimestamp", "creation"), "recorded"),
    **dict.fromkeys(("message", "note", "msg"), "message"),
    **dict.fromkeys(("object", "involvedobject", "regarding", "obj"), "object"),
    **dict.fromkeys(("source", "from", "component", "reportingcontroller"), "source"),
    **dict.fromkeys(("subobject", "subobjectpath", "fieldpath"), "subobject"),
    **dict.fromkeys(("name", "pod", "objectname"), "name"),
    **{role: role for role in ("type", "reason", "kind", "namespace", "count")},
}
_MOMENTS = ("time", "last", "first", "recorded")
_TYPES = frozenset({"Normal", "Warning"})
_REASON = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9./-]*")
_LEVELS = frozenset({"Debug", "Trace", "Info", "Information", "Warn", "Error", "Critical", "Fatal"})
_OBJECT = re.compile(r"[A-Za-z][A-Za-z0-9.]{0,80}/[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}")
_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_LONGEST_TEXT = 2000

Cells = list[tuple[int, str]]
"""Where each cell begins, and its text."""


class EventTables:
    """Reads row after row, by the last header seen."""

    def __init__(self) -> None:
        self._columns: list[tuple[int, str]] = []

    def is_header(self, line: str) -> bool:
        """Whether this line names the columns of what follows; remembers them."""
        if "reason" not in line.lower():
            return False
        cells = split(line)
        names = [re.sub(r"[ _.-]", "", text).lower() for _, text in cells]
        roles = [_ROLES.get(name, "") for name in names]
        headed = "reason" in roles and {"message", "type", *_MOMENTS} & set(roles)
        if not headed or roles.count("") > 1 or any(text in _TYPES for _, text in cells):
            return False
        self._columns = [(start, role) for (start, _), role in zip(cells, roles, strict=True)]
        return True

    def row(self, number: int, line: str) -> Row | None:
        """The line as a row; None if it is none."""
        cells = split(line)
        if len(cells) < 3:  # noqa: PLR2004
            return None
        text = line.strip()[:_LONGEST_TEXT]
        return self._headed(number, line, cells, text) or _shaped(number, line, cells, text)

    def _headed(self, number: int, line: str, cells: Cells, text: str) -> Row | None:
        if not self._columns:
            return None
        by_position = _by_position(line, self._columns)
        for values in (by_position, _by_gaps(line, cells, self._columns)):
            seen = _seen(values) if values and _is_event(values) else None
            if values and seen:
                recorded = printed(values.get("recorded", ""))
                return row(line=number, text=text, cells=values, seen=seen, recorded=recorded)
        return None


def split(line: str) -> Cells:
    """The cells of a line, where two spaces or a tab part them."""
    cells: Cells = []
    at, end = len(line) - len(line.lstrip()), len(line.rstrip())
    for gap in _GAP.finditer(line, at):
        if gap.end() >= end or len(cells) >= _MOST_CELLS:
            break
        cells.append((at, line[at : gap.start()]))
        at = gap.end()
    rest = line[at:].strip()
    return [*cells, (at, rest)] if rest else cells


def _is_event(values: dict[str, str]) -> bool:
    one_word = re.fullmatch(r"\S+", values.get("reason", ""))
    return one_word is not None and values.get("type") in (None, "", *_TYPES)


def _by_position(line: str, columns: list[tuple[int, str]]) -> dict[str, str] | None:
    """Cells under their headings; None if the row does not keep to them."""
    if line[: columns[0][0]].strip():
        return None
    values: dict[str, str] = {}
    for (start, role), (end, _) in pairwise([*columns, (len(line), "")]):
        cell = line[start : max(end, start)]
        if start and line[start - 1 : start].strip():
            return None
        if cell[:1].isspace() and cell.strip():
            return None
        values.setdefault(role, cell.strip())
    return values


def _by_gaps(line: str, cells: Cells, columns: list[tuple[int, str]]) -> dict[str, str] | None:
    """As many cells as columns, or more if the last one is the message and has gaps."""
    if len(cells) < len(columns) or (len(cells) > len(columns) and columns[-1][1] != "message"):
        return None
    values: dict[str, str] = {}
    for (_, role), (start, text) in zip(columns, cells, strict=False):
        values.setdefault(role, line[start:].strip() if role == "message" else text)
    if columns[-1][1] != "message" and "message" in values:
        index = next(i for i, (_, role) in enumerate(columns) if role == "message")
        values["message"] = cells[index][1]
    return values


def _seen(values: dict[str, str]) -> Occurrences | None:
    """First, last and count by what the columns say; None if a moment is none."""
    cells = {role: occurrences(values[role]) for role in _MOMENTS if values.get(role)}
    if not cells or None in cells.values():
        return None
    count = values.get("count", "")
    given = int(count) if re.fullmatch(r"[0-9]{1,9}", count) else None
    whole, last, first = cells.get("time"), cells.get("last"), cells.get("first")
    if last and last.count > 1:
        whole, last = last, None
    if whole:
        return Occurrences(first=whole.first, last=whole.last, count=given or whole.count)
    begin, end = first.last if first else None, last.last if last else None
    once = given == 1 or (given is None and values.get("reason") not in REPEATING)
    if once:
        begin, end = begin or end, end or begin
    return Occurrences(first=begin, last=end, count=given or 1)


def _shaped(number: int, line: str, cells: Cells, text: str) -> Row | None:
    """A row without a header, by its shape alone."""
    texts = [cell for _, cell in cells]
    if texts[0] in _TYPES:
        return _described(number, line, cells, text)
    values: dict[str, str] = {}
    at = 0
    if _NAMESPACE.fullmatch(texts[0]) and len(texts) > 4 and texts[2] in _TYPES:  # noqa: PLR2004
        values["namespace"], at = texts[0], 1
    moment = occurrences(texts[at])
    if moment is None:
        return None
    # kubectl's own form only: a log with a date and columns is no table of events.
    absolute = moment.last is not None and not moment.last.is_age and texts[at][10:11] == "T"
    values["time" if absolute else "last"] = texts[at]
    at += 1
    if texts[at] in _TYPES:
        values["type"], at = texts[at], at + 1
    elif not absolute:
        return None
    if at >= len(texts) or not _REASON.fullmatch(texts[at]) or texts[at] in _LEVELS:
        return None
    values["reason"], at = texts[at], at + 1
    if at < len(texts) and _OBJECT.fullmatch(texts[at]):
        values["object"], at = texts[at], at + 1
    elif not absolute:
        return None
    at, end = _wide(cells, at, values)
    if at < end:
        stop = cells[end][0] if end < len(cells) else len(line)
        values["message"] = line[cells[at][0] : stop].strip()
    seen = _seen(values)
    return row(line=number, text=text, cells=values, seen=seen) if seen else None


def _wide(cells: Cells, at: int, values: dict[str, str]) -> tuple[int, int]:
    """What only the wide form has: two cells before the message and three behind it.

    The event's name at the end proves the form. Returns where the message begins and ends.
    """
    texts = [cell for _, cell in cells]
    end = len(texts) - 3
    if end <= at or named_ns(texts[-1]) is None or not texts[-2].isdecimal():
        return at, len(texts)
    if printed(texts[-3]) is None and texts[-3] not in UNKNOWN:
        return at, len(texts)
    values["first"], values["count"], values["name"] = texts[-3:]
    if "time" in values:
        values["last"] = values.pop("time")
    if texts[at].startswith("spec."):
        values["subobject"], at = texts[at], at + 1
    if at + 1 < end:
        values["source"], at = texts[at], at + 1
    return at, end


def _described(number: int, line: str, cells: Cells, text: str) -> Row | None:
    """Type, Reason, Age, From, Message."""
    texts = [cell for _, cell in cells]
    seen = occurrences(texts[2])
    if seen is None or not _REASON.fullmatch(texts[1]):
        return None
    values = {"type": texts[0], "reason": texts[1]}
    at = 3
    if len(texts) > 4 or (len(texts) == 4 and " " not in texts[3]):  # noqa: PLR2004
        values["source"], at = texts[3], 4
    if at < len(texts):
        values["message"] = line[cells[at][0] :].strip()
    return row(line=number, text=text, cells=values, seen=seen)
