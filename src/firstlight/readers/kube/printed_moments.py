"""
Moments as kubectl and people print them.

A table shows an age (`4m13s`, `25m (x3 over 28m)`), counted back from the moment of
the command and cut to its last unit; or a stamp: RFC 3339 in custom columns, the long
form with the reader's own zone in `kubectl describe`. The name of an event ends in
hexadecimal nanoseconds: client-go's stamp of its first occurrence, finer than any other.
"""

import re
from dataclasses import dataclass

from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.stamps import is_plausible
from firstlight.readers.stamps import DAY_NS, YEAR_NS, month_number, unix_ns

_AGE = re.compile(
    r"(?:([0-9]{1,4})y)?(?:([0-9]{1,6})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,9})s)?"
)
_AGE_UNITS_NS = (YEAR_NS, DAY_NS, 3600 * NS_PER_S, 60 * NS_PER_S, NS_PER_S)
_REPEATED = re.compile(r"(\S{1,40}) \(x([0-9]{1,9}) over (\S{1,40})\)")
_LONG_DATE = re.compile(
    r"(?:[A-Z][a-z]{2}, )?([0-9]{1,2}) ([A-Z][a-z]{2}) ([0-9]{4}) "
    r"([0-9]{2}:[0-9]{2}:[0-9]{2}) ([+-][0-9]{4}|UTC|GMT)"
)
_NAME_END = re.compile(r"\.([0-9a-f]{16})$")
UNKNOWN = frozenset({"<unknown>", "<invalid>", "<none>", "<nil>"})
"""In the place of a moment: never set, later than the reader's clock, or not in the object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A moment as it stands in a text."""

    ns: int
    """Unix nanoseconds, or nanoseconds before the capture."""
    resolution_ns: int
    is_age: bool = False
    is_undated: bool = False
    """Counted from a midnight that nobody named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrences:
    """First, last and how often; None where the cell does not know."""

    first: Printed | None = None
    last: Printed | None = None
    count: int = 1


def printed(text: str) -> Printed | None:
    """An age or a stamp; None if it is neither."""
    if age := age_ns(text):
        return Printed(ns=age[0], resolution_ns=age[1], is_age=True)
    stamp = unix_ns(text) or long_date_ns(text)
    return Printed(ns=stamp[0], resolution_ns=stamp[1]) if stamp else None


def occurrences(cell: str) -> Occurrences | None:
    """A cell such as `25m (x3 over 28m)`; of a single moment both ends are that moment."""
    if found := _REPEATED.fullmatch(cell):
        return Occurrences(first=printed(found[3]), last=printed(found[1]), count=int(found[2]))
    moment = printed(cell)
    if moment is None and cell not in UNKNOWN:
        return None
    return Occurrences(first=moment, last=moment)


def age_ns(text: str) -> tuple[int, int] | None:
    """An age as (nanoseconds, nanoseconds of its last unit); None if it is none."""
    found = _AGE.fullmatch(text)
    if not text or not found:
        return None
    total_ns, last_ns = 0, 0
    for digits, unit_ns in zip(found.groups(), _AGE_UNITS_NS, strict=True):
        if digits is not None:
            total_ns, last_ns = total_ns + int(digits) * unit_ns, unit_ns
    return total_ns, last_ns


def long_date_ns(text: str) -> tuple[int, int] | None:
    """`Tue, 10 Jun 2025 12:00:00 +0200` as (Unix nanoseconds, a second); None if it is none."""
    found = _LONG_DATE.fullmatch(text)
    if not found or (month := month_number(found[2])) is None:
        return None
    day, _, year, clock, zone = found.groups()
    return unix_ns(f"{year}-{month:02}-{int(day):02}T{clock}{zone}")


def named_ns(event_name: str) -> int | None:
    """The nanoseconds at the end of an event's name; None where it ends in something else."""
    found = _NAME_END.search(event_name)
    if not found:
        return None
    moment = int(found[1], 16)
    return moment if is_plausible(moment) else None
