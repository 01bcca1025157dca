"""
Moments as RFC 3339 writes them, and nanoseconds since 1970.

`2026-11-29T18:00:03.600000001+01:00` has a nanosecond that no float holds, and a zone that
moves it by an hour: both are read exactly, with integers. People and logs write the same
with a blank for the T, a slash or a comma, or without a zone; that is read too, and said.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

from firstlight.core.units import NS_PER_S

_DATE = re.compile(
    r"([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:[.,]([0-9]{1,9}))?\s?([Zz]|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 86400
_SAME_SECONDS = 256
"""Lines come in bursts: what the last so many stamps are is remembered."""


# A tuple, because a log of a hundred megabytes has a million of them.
class Moment(NamedTuple):
    """A stamp, read."""

    at_ns: int
    """Unix nanoseconds; without a zone, as if it were UTC."""
    resolution_ns: int
    """Of its last digit."""
    has_zone: bool


@lru_cache(maxsize=_SAME_SECONDS)
def read_moment(text: str) -> Moment | None:
    """A date and a time; None if it is no moment."""
    found = _DATE.fullmatch(text)
    if not found:
        return None
    *parts, fraction, zone = found.groups()
    whole_ns = _whole_ns(tuple(parts), zone)
    if whole_ns is None:
        return None
    digits = fraction or ""
    return Moment(
        whole_ns + int(digits.ljust(9, "0")), NS_PER_S // 10 ** len(digits), zone is not None
    )


def stamp_ns(value: object) -> int | None:
    """Unix nanoseconds of an object's stamp; None where it is none, or has no zone."""
    moment = read_moment(value) if isinstance(value, str) else None
    return moment.at_ns if moment and moment.has_zone else None


def rfc3339(unix_ns: int, *, digits: int = 0) -> str:
    """A moment in UTC; digits of a second beyond those asked for are cut off."""
    whole_s, below_ns = divmod(unix_ns, NS_PER_S)
    moment = _EPOCH + timedelta(seconds=whole_s)
    fraction = f".{below_ns:09}"[: digits + 1] if digits else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


@lru_cache(maxsize=_SAME_SECONDS)
def _whole_ns(parts: tuple[str, ...], zone: str | None) -> int | None:
    """Of the whole second; None where the calendar has no such one."""
    try:
        since = datetime(*map(int, parts), tzinfo=_zone(zone)) - _EPOCH  # type: ignore[misc,arg-type]
    except (ValueError, OverflowError):
        return None
    return (since.days * _DAY_S + since.seconds) * NS_PER_S


def _zone(text: str | None) -> timezone:
    if text is None or text in {"Z", "z", "UTC", "GMT"}:
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))
