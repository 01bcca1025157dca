"""
A set of rounds in numbers: medians and spreads, of the total and of each phase.

Starts are few and skewed, so there is no mean and no standard deviation: the median, the
quartiles and both ends, and how many they were. No round is left out of them for being slow.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import median, quantiles
from typing import Any

from firstlight.compare.told import tells
from firstlight.core.phases import Phase
from firstlight.core.units import seconds
from firstlight.experiment.rounds import Round


def summary(rounds: Sequence[Round], claims: Sequence[str]) -> dict[str, Any]:
    """
    The result rounds of one step in one scenario.

    Args:
        rounds: those that count.
        claims: phases to tell of beside the top ones; a child after a slash.
    """
    totals = [r.total_ns for r in rounds if r.total_ns is not None]
    shown = {span.name for r in rounds for span in r.start.phases}
    names = [str(phase.value) for phase in Phase if phase.value in shown]
    names += sorted(shown - set(names))
    told = [claim for claim in claims if any(tells(r.start, claim) for r in rounds)]
    names += [claim for claim in told if claim not in names]
    return {
        "n": len(totals),
        "total": figures(totals),
        "phases": {name: figures([r.start.phase_ns(name) for r in rounds]) for name in names},
    }


def figures(lengths_ns: Sequence[int]) -> dict[str, float] | None:
    """Median and spread in seconds; None of nothing."""
    if not lengths_ns:
        return None
    low, high = float(lengths_ns[0]), float(lengths_ns[0])
    if len(lengths_ns) > 1:
        low, _, high = quantiles(lengths_ns, n=4, method="inclusive")
    return {
        "median_s": seconds(round(median(lengths_ns))),
        "lowest_s": seconds(min(lengths_ns)),
        "highest_s": seconds(max(lengths_ns)),
        "q1_s": seconds(round(low)),
        "q3_s": seconds(round(high)),
    }


def effects(rounds: Sequence[Round]) -> dict[str, int]:
    """How many of them show the step's technique in which state."""
    return dict(Counter(r.effect.state.value for r in rounds))
