"""
What each choice costs a day: the node, and the waiting.

Two choices keep the node whatever happens: staying awake, and sleeping, which gives the GPU's
memory back and the GPU not. So sleep is as dear as staying awake until somebody else pays for
the memory. The other two pay for the node while the engine is up or starting, from the request
that asked for it, and for the window behind that.

Every price is also kept split by start time, so that drawing other start times draws another
price.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from statistics import fmean

from firstlight.breakeven.choices import NEEDS, Choice, Scenario
from firstlight.breakeven.course import DAY_S, Arrivals, Course, Cycles, Rule
from firstlight.breakeven.prices import Prices
from firstlight.breakeven.sample import Sample

Samples = Mapping[Scenario, Sample]
"""The start times of each scenario that can be priced with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """One choice, by the day."""

    choice: Choice
    node_s: float
    """That are paid for."""
    node_cost: float
    """Less what another engine pays for the memory."""
    waiting_cost: float
    course: Course | None
    """None for an engine that never goes down."""
    fixed: float
    """The part of the cost that hangs on no start."""
    by_start: Mapping[Scenario, tuple[float, ...]]
    """The rest, were all starts of the scenario to take as long as one of the sample; the cost
    is `fixed` and the mean of each."""

    @property
    def total(self) -> float:
        return self.node_cost + self.waiting_cost


def price(
    choice: Choice, arrivals: Arrivals, *, rule: Rule, samples: Samples, prices: Prices
) -> Priced:
    """The price of a choice whose start times are all there."""
    if choice is Choice.AWAKE:
        return _awake(prices)
    if choice is Choice.SLEEP:
        return _sleep(arrivals, rule, samples[Scenario.WAKE].seconds, prices)
    window_s = rule.retention_s if choice is Choice.KEEP else 0.0
    rule = replace(rule, retention_s=window_s)
    cold = samples[Scenario.COLD].seconds
    warm = samples[Scenario.WARM].seconds if choice is Choice.KEEP else ()
    course = arrivals.course(rule, cold=cold, warm=warm)
    node_s = course.up_s + course.kept_s
    first_s = course.first_up_s + course.first_kept_s
    return Priced(
        choice=choice,
        node_s=node_s,
        node_cost=node_s * prices.node_per_s,
        waiting_cost=course.waiting_s * prices.penalty_per_s,
        course=course,
        fixed=first_s * prices.node_per_s,
        by_start={
            scenario: _by_start(cycles, prices.penalty_per_s, prices.node_per_s, prices.node_per_s)
            for scenario, cycles in ((Scenario.COLD, course.cold), (Scenario.WARM, course.warm))
            if cycles.per_day
        },
    )


def price_all(arrivals: Arrivals, *, rule: Rule, samples: Samples, prices: Prices) -> list[Priced]:
    """All choices whose start times are there, in their order."""
    return [
        price(choice, arrivals, rule=rule, samples=samples, prices=prices)
        for choice in Choice
        if all(scenario in samples for scenario in NEEDS[choice])
    ]


def _awake(prices: Prices) -> Priced:
    cost = DAY_S * prices.node_per_s
    return Priced(
        choice=Choice.AWAKE,
        node_s=DAY_S,
        node_cost=cost,
        waiting_cost=0.0,
        course=None,
        fixed=cost,
        by_start={},
    )


def _sleep(arrivals: Arrivals, rule: Rule, wakes_s: tuple[float, ...], prices: Prices) -> Priced:
    # A sleeper is a node that is kept for ever, whose every return is a hit.
    course = arrivals.course(replace(rule, retention_s=inf), cold=(), warm=wakes_s)
    asleep_per_s = prices.freed_memory_worth * prices.node_per_s
    whole = DAY_S * prices.node_per_s
    return Priced(
        choice=Choice.SLEEP,
        node_s=DAY_S,
        node_cost=whole - course.kept_s * asleep_per_s,
        waiting_cost=course.waiting_s * prices.penalty_per_s,
        course=course,
        fixed=whole - course.first_kept_s * asleep_per_s,
        by_start=(
            {Scenario.WAKE: _by_start(course.warm, prices.penalty_per_s, 0.0, -asleep_per_s)}
            if course.warm.per_day
            else {}
        ),
    )


def _by_start(cycles: Cycles, waiting: float, up: float, kept: float) -> tuple[float, ...]:
    return tuple(
        cycles.per_day * (w * waiting + u * up + k * kept)
        for w, u, k in zip(cycles.waiting_s, cycles.up_s, cycles.kept_s, strict=True)
    )


def total_of_parts(priced: Priced) -> float:
    """The cost, put together from its parts again."""
    return priced.fixed + sum(fmean(part) for part in priced.by_start.values())
