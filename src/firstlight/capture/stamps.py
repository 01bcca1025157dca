"""
Moments in what a capture fetched, as far as it needs them: to say what is missing.
"""

from firstlight.core.moments import stamp_ns
from firstlight.core.objects import Object, metadata
from firstlight.core.units import NS_PER_S


def created_ns(object_: Object) -> int | None:
    """When the API server took an object in."""
    return stamp_ns(metadata(object_).get("creationTimestamp"))


def event_ns(event: Object) -> int | None:
    """When what an event tells first happened."""
    fields = ("eventTime", "firstTimestamp", "deprecatedFirstTimestamp")
    stamps = (stamp_ns(event.get(field)) for field in fields)
    return next((stamp for stamp in stamps if stamp is not None), None)


def line_ns(line: bytes) -> int | None:
    """The runtime's stamp in front of a line, with whatever zone the node writes."""
    return stamp_ns(line.partition(b" ")[0].decode(errors="replace"))


def length(ns: int) -> str:
    """A length of time for a sentence."""
    seconds = ns // NS_PER_S
    if seconds < 120:  # noqa: PLR2004
        return f"{seconds} s"
    if seconds < 7200:  # noqa: PLR2004
        return f"{seconds // 60} min"
    return f"{seconds // 3600} h"
