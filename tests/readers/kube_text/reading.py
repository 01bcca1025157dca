"""Short ways to read a text and to say what came out."""

from datetime import UTC, datetime

from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import ClusterSeen, Event, Stamp
from firstlight.readers.kube.text import read_text


def whole(text: str) -> int:
    """A date without a fraction as Unix nanoseconds."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * NS_PER_S


def read(text: str, captured_ns: int | None = None) -> ClusterSeen:
    return read_text("saved.txt", text, captured_ns)


def event(seen: ClusterSeen, reason: str) -> Event:
    """The only event of this reason."""
    (found,) = [e for e in seen.events if e.reason == reason]
    return found


def at(stamp: Stamp | None) -> int:
    """The moment of a stamp that must be there."""
    assert stamp is not None
    return stamp.at_ns


def counts_back(seen: ClusterSeen) -> bool:
    """Whether stamps count back from a capture whose moment nobody knows."""
    stamps = [stamp for e in seen.events for stamp in (e.first, e.last) if stamp]
    return any(stamp.at_ns < 0 for stamp in stamps)
