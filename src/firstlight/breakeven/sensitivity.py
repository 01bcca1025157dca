"""
Which input the answer hangs on.

Each is made a fifth smaller and a fifth larger, alone, and everything is priced again. What
counts first is whether another choice is then the cheapest; then by how much the lead moved
that the cheapest had before its rival.

Where the kept node has the best window there is, that window is looked for again each time. It
would otherwise be held against inputs that it is not the best for, and a choice that pays with
another window would seem to lose.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import Arrivals, Rule
from firstlight.breakeven.prices import Prices
from firstlight.breakeven.pricing import Samples, price_all
from firstlight.breakeven.windows import curve

FACTORS = (0.8, 1.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What each choice costs a day."""

    totals: Mapping[Choice, float]
    keeps: bool = True
    """False where no window pays: to keep the node is then no choice but scaling to zero."""

    def ranked(self) -> list[Choice]:
        """The choices, the cheapest first; of equals the first in their order."""
        choices = [c for c in self.totals if self.keeps or c is not Choice.KEEP]
        return sorted(choices, key=lambda c: self.totals[c])

    def first(self, before: Choice) -> Choice:
        """The cheapest; the one that was it before, where another is only as cheap."""
        choices = self.ranked()
        as_cheap = before in choices and self.totals[before] <= self.totals[choices[0]]
        return before if as_cheap else choices[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that the prices come from."""

    arrivals: Arrivals
    rule: Rule
    samples: Samples
    prices: Prices
    searches: bool = False
    """Whether the kept node gets the best window; otherwise the rule's."""

    def costs(self) -> Costs:
        """What each choice costs a day."""
        priced = price_all(self.arrivals, rule=self.rule, samples=self.samples, prices=self.prices)
        totals = {one.choice: one.total for one in priced}
        if not self.searches or Choice.KEEP not in totals:
            return Costs(totals=totals)
        best = curve(self.arrivals, rule=self.rule, samples=self.samples, prices=self.prices).best
        if best.window_s == 0:
            return Costs(totals={**totals, Choice.KEEP: totals[Choice.ZERO]}, keeps=False)
        return Costs(totals={**totals, Choice.KEEP: best.cost})


@dataclass(frozen=True, slots=True, kw_only=True)
class Varied:
    """One input, made smaller and larger."""

    name: str
    leads: tuple[float, float]
    """How much the choice that was cheapest is then below its rival."""
    cheapest: tuple[Choice, Choice]
    moved: float
    """The larger of the two changes of the lead."""
    flips: bool
    """Whether another choice is cheapest with one of them."""


def sensitivity(situation: Situation, cheapest: Choice, rival: Choice) -> list[Varied]:
    """
    Every input that is there, the one that matters most first.

    Args:
        situation: as it is.
        cheapest: the choice that is cheapest in it.
        rival: the choice that the lead is measured to.
    """
    totals = situation.costs().totals
    lead = totals[rival] - totals[cheapest]
    found = []
    for name, vary in _inputs(situation):
        varied = [vary(factor).costs() for factor in FACTORS]
        leads = [costs.totals[rival] - costs.totals[cheapest] for costs in varied]
        firsts = [costs.first(cheapest) for costs in varied]
        found.append(
            Varied(
                name=name,
                leads=(leads[0], leads[1]),
                cheapest=(firsts[0], firsts[1]),
                moved=max(abs(one - lead) for one in leads),
                flips=any(first is not cheapest for first in firsts),
            )
        )
    return sorted(found, key=lambda v: (not v.flips, -v.moved, v.name))


def _inputs(now: Situation) -> Iterator[tuple[str, Callable[[float], Situation]]]:
    prices, rule = now.prices, now.rule
    yield (
        "price of the node",
        lambda f: replace(now, prices=replace(prices, node_per_hour=prices.node_per_hour * f)),
    )
    yield (
        "penalty for waiting",
        lambda f: replace(now, prices=replace(prices, penalty_per_s=prices.penalty_per_s * f)),
    )
    if prices.freed_memory_worth and Scenario.WAKE in now.samples:
        yield (
            "worth of the freed memory",
            lambda f: replace(
                now,
                prices=replace(prices, freed_memory_worth=min(1.0, prices.freed_memory_worth * f)),
            ),
        )
    yield "number of requests", lambda f: replace(now, arrivals=now.arrivals.quicker(f))
    yield "idle time", lambda f: replace(now, rule=replace(rule, idle_s=rule.idle_s * f))
    if rule.request_s:
        yield (
            "length of a request",
            lambda f: replace(now, rule=replace(rule, request_s=rule.request_s * f)),
        )
    kept = not now.searches and {Scenario.COLD, Scenario.WARM} <= now.samples.keys()
    if kept and 0 < rule.retention_s < inf:
        yield (
            "retention window",
            lambda f: replace(now, rule=replace(rule, retention_s=rule.retention_s * f)),
        )
    for scenario, sample in now.samples.items():
        yield (
            _NAMES[scenario],
            lambda f, s=scenario, old=sample: replace(  # type: ignore[misc]
                now, samples={**now.samples, s: old.times(f)}
            ),
        )


_NAMES = {
    Scenario.COLD: "cold start",
    Scenario.WARM: "warm start",
    Scenario.WAKE: "wake",
}
