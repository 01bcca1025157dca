"""
One moment on both clocks.

Everything is timed on the monotonic clock and recorded as Unix time, by one
addition. The pair is taken once per round: were each stamp read from the wall
clock, a step of NTP in the middle of a start would become a phase.
"""

from dataclasses import dataclass
from typing import Self

from firstlight.measure.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The same moment, told by the two clocks."""

    unix_ns: int
    monotonic_ns: int

    @classmethod
    def taken(cls, clock: Clock) -> Self:
        """Read the wall clock between two readings of the monotonic one, and take their middle."""
        before = clock.monotonic_ns()
        unix_ns = clock.unix_ns()
        after = clock.monotonic_ns()
        return cls(unix_ns=unix_ns, monotonic_ns=(before + after) // 2)

    @property
    def offset_ns(self) -> int:
        """What to add to monotonic time."""
        return self.unix_ns - self.monotonic_ns
