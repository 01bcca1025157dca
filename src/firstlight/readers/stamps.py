"""
Stamps as text to nanoseconds.

Two kinds exist. Outer stamps (container runtime, docker, CI) are dates with a
zone and become Unix nanoseconds. vLLM's own stamp has month, day and whole
seconds, no year and no zone: it becomes nanoseconds in a year of 365 days that
is the same for every line, which is enough for differences.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

from firstlight.core.units import NS_PER_S

ENGINE_RESOLUTION_NS = NS_PER_S

_DATE = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?"
)
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
YEAR_NS = 365 * 86400 * NS_PER_S


def unix_ns(text: str) -> tuple[int, int] | None:
    """An outer stamp as (Unix nanoseconds, resolution in nanoseconds); None if it is no date.

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
    digits = fraction or ""
    return (
        whole * NS_PER_S + int(digits.ljust(9, "0")),
        NS_PER_S // 10 ** len(digits),
    )


def _zone(text: str | None) -> timezone:
    if text in (None, "Z"):
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))


def engine_ns(month: str, day: str, hour: str, minute: str, second: str) -> int | None:
    """vLLM's own stamp as nanoseconds since 1 January; None where it is no moment.

    29 February is read as 1 March: no year is given, and a start crosses it once in
    four years.
    """
    m, d = int(month), int(day)
    h, mi, s = int(hour), int(minute), int(second)
    if not (1 <= m <= 12 and 1 <= d <= 31 and h < 24 and mi < 60 and s <= 60):  # noqa: PLR2004
        return None
    days = _DAYS_BEFORE[m - 1] + d - 1
    return (((days * 24 + h) * 60 + mi) * 60 + s) * NS_PER_S
