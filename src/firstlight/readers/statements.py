"""
What one message says.

A record of vLLM says a thing from its first word on, or not at all: a request's
prompt may quote any line of any log. A line without vLLM's head was printed by
somebody else's format, or copied by a person: there a statement may also follow a
separator (`INFO:module: ...`, `| ...`, `- ...`, `...; ...`), but never a quote.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice

from firstlight.readers.wordings import ALL
from firstlight.readers.wordings.wording import Say, Wording

_BREAK = re.compile(
    r"[:;|>*•)\]\u2013\u2014]+\s*|-+\s+|[\u3001\u3002\uff0c\uff1a\uff1b]\s*|\s{2,}|`"
)
"""Where a statement may begin inside a line that is not vLLM's own."""
_QUOTED = re.compile(r"""(?:(?<=[\s=:(\[{,])|^)(["'])(?:(?!\1(?:\W|$)).)*""")
"""A quotation: what is inside was not said here."""
_FURTHEST = 400
"""A separator further in than this is part of a text."""
_REPEATED_CHARS = 3_000
_MOST_REPEATED = 2_048
"""Starts of one engine say mostly the same: what so many short messages said is remembered."""
_LATER = re.compile(r"; ")
_MOST_LATER = 50
_BY_LITERAL: tuple[tuple[str, tuple[Wording, ...]], ...] = tuple(
    (literal, tuple(w for w in ALL if w.literal == literal))
    for literal in dict.fromkeys(w.literal for w in ALL)
)
_NOT_OPENING = tuple(
    literal for literal, entries in _BY_LITERAL if not all(w.opening for w in entries)
)


Said = tuple[tuple[Say, Mapping[str, str]], ...]


def statements(message: str, *, headed: bool = False, crossing: int | None = None) -> Said:
    """Everything a message says, each thing once.

    Args:
        message: text after the record's head.
        headed: whether the message is vLLM's own record.
        crossing: only statements that begin before this offset and end behind it.
    """
    if len(message) > _REPEATED_CHARS:
        return tuple(_statements(message, headed, crossing))
    return _known_statements(message, headed, crossing)


@lru_cache(maxsize=_MOST_REPEATED)
def _known_statements(message: str, headed: bool, crossing: int | None) -> Said:  # noqa: FBT001
    return tuple(_statements(message, headed, crossing))


def _statements(
    message: str,
    headed: bool,  # noqa: FBT001
    crossing: int | None,
) -> Iterator[tuple[Say, Mapping[str, str]]]:
    begins: list[int] | None = None
    for literal, entries in _BY_LITERAL:
        if literal not in message:
            continue
        if begins is None:
            begins = _beginnings(message, headed=headed)
        last = message.rfind(literal)
        for entry in entries:
            if crossing is not None and entry.opening:
                continue
            found = _match(entry, message, begins, last)
            if found is None:
                continue
            if crossing is None or found.start() < crossing < found.end():
                yield entry.say, _values(found)


@lru_cache(maxsize=_MOST_REPEATED)
def may_cross(text: str) -> bool:
    """Whether joined lines hold a piece of what one alone need not hold: cheaper than asking."""
    return any(literal in text for literal in _NOT_OPENING)


def _beginnings(message: str, *, headed: bool) -> list[int]:
    first = len(message) - len(message.lstrip())
    if headed:
        return [first]
    breaks = [m.end() for m in _BREAK.finditer(message, first, first + _FURTHEST)]
    later = _LATER.finditer(message, first + _FURTHEST)
    breaks += [m.end() for m in islice(later, _MOST_LATER)]
    quoted = [m.span() for m in _QUOTED.finditer(message)]
    return [first, *(at for at in breaks if not any(a < at <= b for a, b in quoted))]


def _match(entry: Wording, message: str, begins: list[int], last: int) -> re.Match[str] | None:
    """The first place where the entry's pattern fits, at or before its last literal."""
    for at in begins[:1] if entry.opening else begins:
        if at > last:
            return None
        if found := entry.pattern.match(message, at):
            return found
    return None


def _values(found: re.Match[str]) -> dict[str, str]:
    """The groups that took part; a number without its thousands separators."""
    values = {name: text for name, text in found.groupdict().items() if text is not None}
    if cut := values.pop("cut", None):
        values["s"] = cut
    if "s" in values:
        values["s"] = values["s"].replace(",", "")
    return values
