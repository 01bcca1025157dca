"""
When keeping a node pays, as a formula: hit rate x seconds saved x penalty > cost of keeping.

All of it is for one return: what it costs that the node was kept until it came or the window
ended, against what it saves when the node is still there. The formula has one user who waits.
In truth all wait who come during the start, and a start that is twice as long has more than
twice the waiting; so it is also given with everybody.

The formula counts waiting only. A hit saves more: while an engine starts, its node is paid for,
and a shorter start is less of that. So there is also the hit rate at which the two totals, with
the node kept and scaled to zero, are equal. It is that rate that the curve over the window and
the table of the choices go by, and it alone never contradicts them.
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
    """Where keeping begins to pay, with one user who waits and by waiting alone: above one,
    never. None where no waiting is saved, or none is priced."""
    waiting_saved_s: float
    """By a hit, for all users together."""
    at_hit_rate_of_all: float | None
    """The same with everybody who waits."""
    at_hit_rate_of_totals: float | None
    """Where the node kept costs what scaling to zero costs, all in all. None where there is no
    hit to tell by, or where a hit saves nothing."""

    @property
    def keeping_pays(self) -> bool:
        """Whether the node kept costs less than scaling to zero."""
        return self.at_hit_rate_of_totals is not None and self.hit_rate > self.at_hit_rate_of_totals


def break_even_hit_rate(
    *, cost_per_return: float, saved_s: float, penalty_per_s: float
) -> float | None:
    """The hit rate at which both sides are equal; None where nothing is saved by a hit."""
    worth = saved_s * penalty_per_s
    return cost_per_return / worth if worth > 0 else None


def break_even(
    kept: Priced, zero: Priced, arrivals: Arrivals, *, rule: Rule, samples: Samples, prices: Prices
) -> BreakEven | None:
    """
    The formula, with the numbers of the priced choice.

    Args:
        kept: the choice to keep the node.
        zero: the choice to scale to zero.
        arrivals: the requests.
        rule: what the kept node is priced with.
        samples: the start times.
        prices: of the node and of waiting.

    Returns:
        None where nobody ever comes back to an engine that is down.
    """
    course = kept.course
    if course is None or course.hit_rate is None:
        return None
    cold, warm = samples[Scenario.COLD], samples[Scenario.WARM]
    cost = course.kept_s * prices.node_per_s / course.returns
    saved_s = cold.mean_s - warm.mean_s
    # What the hits of a day save, of waiting and of the node: the totals without the keeping.
    hits, kept_cost = course.warm.per_day, course.kept_s * prices.node_per_s
    worth = (zero.total - (kept.total - kept_cost)) / hits if hits else 0.0
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
        at_hit_rate_of_totals=cost / worth if worth > 0 else None,
    )
