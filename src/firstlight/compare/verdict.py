"""
What may be said of a difference.
"""

from enum import StrEnum

from firstlight.compare.statistics import LEVEL, Difference


class Verdict(StrEnum):
    """The answer about one length; of the second set, against the first."""

    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no difference seen"
    BELOW_RESOLUTION = "below resolution"
    """Seen by the ranks, and smaller than the larger uncertainty of what was compared."""
    TOO_FEW = "too few rounds"
    NOT_COMPARABLE = "not comparable"


def verdict(found: Difference | None, *, p: float, resolution_ns: int) -> Verdict:
    """
    The verdict on sets that may be compared.

    Args:
        found: the difference; None with too few rounds.
        p: of its rank test, adjusted where several are asked.
        resolution_ns: the larger uncertainty of the two sides.
    """
    if found is None:
        return Verdict.TOO_FEW
    # The interval must agree, or the two would contradict each other in print.
    if p > LEVEL or not found.excludes_zero:
        return Verdict.NO_DIFFERENCE
    if abs(found.estimate_ns) <= resolution_ns:
        return Verdict.BELOW_RESOLUTION
    return Verdict.FASTER if found.estimate_ns < 0 else Verdict.SLOWER
