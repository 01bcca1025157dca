"""
Which round stands for a step where one has to be drawn.

The phases of one round add up to its total, which medians of phases do not, so a step is drawn
by one of its rounds: the one whose total is nearest to the median. With an even number of
rounds the median is nobody's length and two are equally near; then it is the shorter one, and
whoever draws it says how far the two lie apart.
"""

from collections.abc import Sequence
from statistics import median

from firstlight.experiment.rounds import Round


def middle(counted: Sequence[Round]) -> Round | None:
    """The round that stands for these; None of nothing."""
    timed = [(r.total_ns, r) for r in counted if r.total_ns is not None]
    if not timed:
        return None
    there = median(length for length, _ in timed)
    return min(timed, key=lambda one: (abs(one[0] - there), one[0], one[1].order))[1]
