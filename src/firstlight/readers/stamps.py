"""
Stamps as text to nanoseconds.

Three kinds exist. Dates with a year (container runtime, docker, CI), mostly with a
zone, become Unix nanoseconds; so do epoch numbers in seconds to nanoseconds. vLLM's
own stamp has month, day and whole seconds, no year and no zone, and so has syslog's:
they become nanoseconds in a year of 365 days that is the same for every line, which
is enough for differences.
"""

import re
from fractions import Fraction

from firstlight.core.moments import read_moment
from firstlight.core.units import NS_PER_S

ENGINE_RESOLUTION_NS = NS_PER_S

STAMP = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)\b)?"
)
"""A date with a year, as a piece of a pattern; without groups."""
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
    moment = read_moment(text)
    return (moment.at_ns, moment.resolution_ns) if moment else None


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
    month = month_number(found[1]) if found else None
    if not found or month is None:
        return None
    moment = engine_ns(str(month), *found.groups()[1:5])
    digits = found[6] or ""
    fraction_ns, resolution_ns = int(digits.ljust(9, "0")), NS_PER_S // 10 ** len(digits)
    return None if moment is None else (moment + fraction_ns, resolution_ns)


def month_number(name: str) -> int | None:
    """`Jan` to `Dec` as 1 to 12; None for any other word."""
    return _MONTHS.index(name) + 1 if name in _MONTHS else None


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
