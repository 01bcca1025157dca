"""
What a request takes before a sleep and right after the wake-up: whether it costs who comes next.

A gateway asks its engine one question before the sleep and again when it woke, before it lets
anybody in, and says what either took. The rounds of a step are held against each other as any two
sets of lengths are: medians, and an interval for how far they lie apart.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from firstlight.compare.statistics import difference
from firstlight.core.units import NS_PER_S, seconds
from firstlight.experiment.waking import Woken


def fixed_request(rounds: Sequence[Woken | None]) -> dict[str, Any] | None:
    """
    Of a step in one scenario, for the document.

    Args:
        rounds: its wake-ups, those that count; None of a round that was none.

    Returns:
        None where no gateway measured it; no difference with fewer than four rounds.
    """
    asked = [one.fixed_request_s for one in rounds if one and one.fixed_request_s]
    both = [(one.before, one.after) for one in asked if one.before and one.after]
    if not both:
        return None
    before_ns, after_ns = (
        [round(each * NS_PER_S) for each in side] for side in zip(*both, strict=True)
    )
    found = difference(before_ns, after_ns)
    return {
        "rounds": len(before_ns),
        "before_s": seconds(round(median(before_ns))),
        "after_s": seconds(round(median(after_ns))),
        "difference_s": seconds(found.estimate_ns) if found else None,
        "low_s": seconds(found.low_ns) if found else None,
        "high_s": seconds(found.high_ns) if found else None,
    }
