"""
What firstlight promises of its own runs, held against the rounds of one.

The figures stand in the README's table and in `docs/decisions`; each is the worst of
all rounds that came up.
"""

from collections.abc import Iterable, Mapping

from firstlight.core.starts import Outcome, Start
from firstlight.core.timeline import Timeline
from firstlight.core.units import seconds

UNEXPLAINED, STRETCH, PRECISION = (
    "unexplained with the probe, of the total",
    "longest unnamed stretch with the probe, s",
    "precision of the total, s",
)
AT_MOST: Mapping[str, float] = {UNEXPLAINED: 0.02, STRETCH: 0.5, PRECISION: 0.1}


def figures(starts: Iterable[Start]) -> dict[str, float]:
    """The worst of each, over the starts that came up; empty where none did."""
    totals = [s.total for s in starts if s.outcome is Outcome.READY and s.total]
    lines = [total.timeline for total in totals]
    if not lines:
        return {}
    return {
        UNEXPLAINED: max(line.unexplained_ns / line.length_ns for line in lines),
        STRETCH: max(map(_longest_s, lines)),
        PRECISION: max(seconds(total.uncertainty_ns) for total in totals),
    }


def _longest_s(line: Timeline) -> float:
    stretches = line.unexplained_stretches()
    return max((seconds(stretch.length_ns) for stretch in stretches), default=0.0)
