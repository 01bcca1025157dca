"""
The API's stamps as whole seconds, as far as a capture needs them: to say what is missing.
"""

from datetime import UTC, datetime
from typing import Any

from firstlight.capture.ports import Object
from firstlight.core.units import NS_PER_S


def second_ns(stamp: Any) -> int | None:
    """Unix nanoseconds of an RFC 3339 stamp, what is below a second cut; None for anything else."""
    if not isinstance(stamp, str):
        return None
    try:
        moment = datetime.fromisoformat(stamp)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()) * NS_PER_S
    except (ValueError, OverflowError):
        return None


def created_ns(object_: Object) -> int | None:
    """When the API server took an object in."""
    return second_ns((object_.get("metadata") or {}).get("creationTimestamp"))


def event_ns(event: Object) -> int | None:
    """When what an event tells first happened."""
    fields = ("eventTime", "firstTimestamp", "deprecatedFirstTimestamp")
    stamps = (second_ns(event.get(field)) for field in fields)
    return next((stamp for stamp in stamps if stamp is not None), None)


def rfc3339(unix_ns: int) -> str:
    """A moment for people, in whole seconds."""
    return datetime.fromtimestamp(unix_ns // NS_PER_S, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def length(ns: int) -> str:
    """A length of time for a sentence."""
    seconds = ns // NS_PER_S
    if seconds < 120:  # noqa: PLR2004
        return f"{seconds} s"
    if seconds < 7200:  # noqa: PLR2004
        return f"{seconds // 60} min"
    return f"{seconds // 3600} h"
