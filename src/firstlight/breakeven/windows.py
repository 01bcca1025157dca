"""
For how long to keep an empty node: the cost over the window, and where it is least.

A longer window turns cold returns into warm ones and pays for the node on all the others. The
cost jumps down where the window reaches another return and rises in between, so it has many
small valleys. It is looked at widely first, then closely around the lowest point found.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import Arrivals, Rule
from firstlight.breakeven.prices import Prices
from firstlight.breakeven.pricing import Priced, Samples, price

_ROUNDS = 3
_NEXT_TO_NOTHING = 0.001
"""The share of the cost that a window must save: it is an estimate, and the trace one of many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The choice to keep the node, with one window."""

    window_s: float
    """Infinity for a node that is always kept."""
    hit_rate: float
    kept_s: float
    """That the node stands empty, by the day."""
    cost: float
    """All of it, by the day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The cost over the window."""

    points: tuple[Point, ...]
    """The shortest window first; the first is none."""

    @property
    def best(self) -> Point:
        """The cheapest, the shortest of several; none where one saves next to nothing."""
        least = min(self.points, key=lambda p: (p.cost, p.window_s))
        none = self.points[0]
        return none if none.cost <= least.cost * (1 + _NEXT_TO_NOTHING) else least


def curve(arrivals: Arrivals, *, rule: Rule, samples: Samples, prices: Prices) -> Curve:
    """The cost of keeping the node, over the windows that may be best."""
    cold, warm = samples[Scenario.COLD].seconds, samples[Scenario.WARM].seconds
    points: dict[float, Point] = {}

    def look(windows_s: Iterable[float]) -> None:
        for window_s in windows_s:
            if window_s not in points:
                kept = replace(rule, retention_s=window_s)
                points[window_s] = _point(
                    price(Choice.KEEP, arrivals, rule=kept, samples=samples, prices=prices),
                    window_s,
                )

    low, high = 0.0, float("inf")
    look([low])
    for _ in range(_ROUNDS):
        known = len(points)
        look(arrivals.windows_s(rule, cold=cold, warm=warm, between=(low, high)))
        if len(points) == known:
            break
        found = sorted(points)
        at = found.index(min(points.values(), key=lambda p: (p.cost, p.window_s)).window_s)
        low = found[max(0, at - 1)]
        high = found[min(len(found) - 1, at + 1)]
    return Curve(points=tuple(points[w] for w in sorted(points)))


def _point(priced: Priced, window_s: float) -> Point:
    course = priced.course
    return Point(
        window_s=window_s,
        hit_rate=(course.hit_rate or 0.0) if course else 0.0,
        kept_s=course.kept_s if course else 0.0,
        cost=priced.total,
    )
