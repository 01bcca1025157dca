"""
How far a server's clock is from ours, as bounds.

Every HTTP answer carries the server's time in whole seconds. It was read at some
moment between our question and the answer's arrival, so each answer bounds the
difference, and several bound it closer than a second. Bounds that exclude each other
mean that a clock was set, or that several servers answer; then the widest holds.
"""

from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from firstlight.core.units import NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Server's clock minus ours lies in [lowest_ns, highest_ns]."""

    lowest_ns: int
    highest_ns: int
    agreed: bool = True
    """False where answers excluded each other."""

    def with_answer(self, date: str, *, asked_ns: int, answered_ns: int) -> "Difference":
        """What one more answer leaves; unchanged where its date cannot be read."""
        other = difference(date, asked_ns=asked_ns, answered_ns=answered_ns)
        if other is None:
            return self
        lowest = max(self.lowest_ns, other.lowest_ns)
        highest = min(self.highest_ns, other.highest_ns)
        if self.agreed and lowest <= highest:
            return Difference(lowest_ns=lowest, highest_ns=highest)
        return Difference(
            lowest_ns=min(self.lowest_ns, other.lowest_ns),
            highest_ns=max(self.highest_ns, other.highest_ns),
            agreed=False,
        )


def difference(date: str, *, asked_ns: int, answered_ns: int) -> Difference | None:
    """
    What one answer says.

    Args:
        date: the answer's Date header.
        asked_ns: our wall clock before anything was sent.
        answered_ns: our wall clock when the answer's head was there.
    """
    try:
        second_ns = round(parsedate_to_datetime(date).timestamp()) * NS_PER_S
    except (ValueError, TypeError, OverflowError):
        return None
    return Difference(lowest_ns=second_ns - answered_ns, highest_ns=second_ns + NS_PER_S - asked_ns)
