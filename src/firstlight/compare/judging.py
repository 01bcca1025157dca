"""
The verdict on a difference.
"""

from firstlight.compare.statistics import Difference
from firstlight.compare.verdict import LEVEL, Verdict


def judged(found: Difference | None, *, p: float, resolution_ns: int) -> Verdict:
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
