"""
What may be said of a difference, and what that takes.

Nothing here needs scipy, so whoever prints verdicts or plans rounds can name them by this.
"""

from enum import StrEnum

FEWEST = 4
"""Rounds a side: three against three cannot reach 5 %."""
LEVEL = 0.05
"""The error that is allowed: how often a difference may be seen where there is none."""


class Verdict(StrEnum):
    """The answer about one length; of the second set, against the first."""

    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no difference seen"
    BELOW_RESOLUTION = "below resolution"
    """Seen by the ranks, and smaller than the larger uncertainty of what was compared."""
    TOO_FEW = "too few rounds"
    NOT_COMPARABLE = "not comparable"
    NOT_SEEN = "not seen in these rounds"
    """Of a phase: no round of one side tells how long it took, so there is no difference."""
    NOT_APPLIED = "not applied"
    """Of a technique that did not take effect: whatever moved, it was not the technique."""

    @property
    def is_result(self) -> bool:
        """Whether the rounds answer the question, be it with no difference."""
        return self in (
            Verdict.FASTER,
            Verdict.SLOWER,
            Verdict.NO_DIFFERENCE,
            Verdict.BELOW_RESOLUTION,
        )
