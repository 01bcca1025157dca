"""
When keeping a node pays, as a formula: hit rate x seconds saved x penalty > cost of keeping.

All of it is for one return: what it costs that the node was kept until it came or the window
ended, against what it saves when the node is still there. The formula has one user who waits.
In truth all wait who come during the start, and a start that is twice as long has more than
twice the waiting; so it is also given with everybody.
"""

from dataclasses import dataclass

from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.course import Arrivals, Rule
from firstlight.breakeven.prices import Prices
from firstlight.breakeven.pricing import Priced, Samples
from firstlight.breakeven.sample import saved
from firstlight.core.intervals import Shift


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """The two sides, and where they meet."""

    hit_rate: float
    saved_s: float
    """That a warm start is shorter than a cold one, mean against mean."""
    saved: Shift | None
    """The same, exactly; None where one of them is one number that somebody stated."""
    cost_per_return: float
    """Of keeping the node."""
    at_hit_rate: float | None
    """Where keeping begins to pay, with one user who waits: above one, never. None where what
    a hit saves is worth nothing."""
    waiting_saved_s: float
    """By a hit, for all users together."""
    at_hit_rate_of_all: float | None
    """The same with everybody who waits."""


def break_even_hit_rate(
    *, cost_per_return: float, saved_s: float, penalty_per_s: float
) -> float | None:
    """The hit rate at which both sides are equal; None where nothing is saved by a hit."""
    worth = saved_s * penalty_per_s
    return cost_per_return / worth if worth > 0 else None


def break_even(
    kept: Priced, arrivals: Arrivals, *, rule: Rule, samples: Samples, prices: Prices
) -> BreakEven | None:
    """
    The formula, with the numbers of the priced choice.

    Returns:
        None where nobody ever comes back to an engine that is down.
    """
    course = kept.course
    if course is None or course.hit_rate is None:
        return None
    cold, warm = samples[Scenario.COLD], samples[Scenario.WARM]
    cost = course.kept_s * prices.node_per_s / course.returns
    saved_s = cold.mean_s - warm.mean_s
    waiting_s = arrivals.waiting_s(rule, cold.seconds) - arrivals.waiting_s(rule, warm.seconds)
    return BreakEven(
        hit_rate=course.hit_rate,
        saved_s=saved_s,
        saved=None if cold.is_statement or warm.is_statement else saved(cold, warm),
        cost_per_return=cost,
        at_hit_rate=break_even_hit_rate(
            cost_per_return=cost, saved_s=saved_s, penalty_per_s=prices.penalty_per_s
        ),
        waiting_saved_s=waiting_s,
        at_hit_rate_of_all=break_even_hit_rate(
            cost_per_return=cost, saved_s=waiting_s, penalty_per_s=prices.penalty_per_s
        ),
    )
