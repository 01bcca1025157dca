"""
Stamps as text to nanoseconds.

Three kinds exist. Dates with a year (container runtime, docker, CI), mostly with a
zone, become Unix nanoseconds; so do epoch numbers in seconds to nanoseconds. vLLM's
own stamp has month, day and whole seconds, no year and no zone, and so has syslog's:
they become nanoseconds in a year of 365 days that is the same for every line, which
is enough for differences.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction

from firstlight.core.units import NS_PER_S

ENGINE_RESOLUTION_NS = NS_PER_S

STAMP = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)\b)?"
)
"""A date with a year, as a piece of a pattern; without groups."""
_DATE = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)"
    r"(?:[.,](\d{1,9}))?\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)?"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NAMED_MONTH = re.compile(r"([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?")
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
DAY_NS = 86400 * NS_PER_S
YEAR_NS = 365 * DAY_NS
_EPOCH = re.compile(r"\d{9,10}(?:\.\d{1,9})?|\d{13}|\d{16}|\d{19}")
_SECOND_DIGITS = 10
"""Digits of an epoch number in seconds, from 2001 to 2286; finer ones have more."""


def unix_ns(text: str) -> tuple[int, int] | None:
    """A date as (Unix nanoseconds, resolution in nanoseconds); None if it is no date.

    A stamp without a zone is read as UTC: only differences are used.
    """
    found = _DATE.fullmatch(text)
    if not found:
        return None
    *parts, fraction, zone = found.groups()
    try:
        moment = datetime(*map(int, parts), tzinfo=_zone(zone))  # type: ignore[misc,arg-type]
        whole = round((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None
    return _with_fraction(whole * NS_PER_S, fraction)


def epoch_ns(text: str) -> tuple[int, int] | None:
    """A number since 1970 in seconds, milli-, micro- or nanoseconds; None if it is none."""
    if not _EPOCH.fullmatch(text):
        return None
    whole, _, fraction = text.partition(".")
    finer = max(len(whole) - _SECOND_DIGITS, 0)
    unit_ns = NS_PER_S // 10**finer
    return int(Fraction(text) * unit_ns), unit_ns // 10 ** len(fraction)


def month_ns(text: str) -> tuple[int, int] | None:
    """A stamp such as syslog's `Aug 19 13:16:35`: as `engine_ns`, with its resolution."""
    found = _NAMED_MONTH.fullmatch(text)
    if not found or found[1] not in _MONTHS:
        return None
    moment = engine_ns(str(_MONTHS.index(found[1]) + 1), *found.groups()[1:5])
    return None if moment is None else _with_fraction(moment, found[6])


def _with_fraction(whole_ns: int, fraction: str | None) -> tuple[int, int]:
    digits = fraction or ""
    return whole_ns + int(digits.ljust(9, "0")), NS_PER_S // 10 ** len(digits)


def _zone(text: str | None) -> timezone:
    if text in (None, "Z", "UTC", "GMT"):
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))


def engine_ns(month: str, day: str, hour: str, minute: str, second: str) -> int | None:
    """A stamp of vLLM's own as nanoseconds since 1 January; None where it is no moment.

    29 February is read as 1 March: no year is given, and a start crosses it once in
    four years.
    """
    m, d = int(month), int(day)
    h, mi, s = int(hour), int(minute), int(second)
    if not (1 <= m <= 12 and 1 <= d <= 31 and h < 24 and mi < 60 and s <= 60):  # noqa: PLR2004
        return None
    days = _DAYS_BEFORE[m - 1] + d - 1
    return (((days * 24 + h) * 60 + mi) * 60 + s) * NS_PER_S
