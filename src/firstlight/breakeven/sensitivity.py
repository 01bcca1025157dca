"""
Which input the answer hangs on.

Each is made a fifth smaller and a fifth larger, alone, and everything is priced again. What
counts first is whether another choice is then the cheapest; then by how much the lead moved
that the cheapest had before its rival.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import Arrivals, Rule
from firstlight.breakeven.prices import Prices
from firstlight.breakeven.pricing import Samples, price_all

FACTORS = (0.8, 1.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that the prices come from."""

    arrivals: Arrivals
    rule: Rule
    samples: Samples
    prices: Prices

    def totals(self) -> dict[Choice, float]:
        """What each choice costs a day."""
        priced = price_all(self.arrivals, rule=self.rule, samples=self.samples, prices=self.prices)
        return {one.choice: one.total for one in priced}


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


def ranked(totals: Mapping[Choice, float]) -> list[Choice]:
    """The choices, the cheapest first; of equals the first in their order."""
    return sorted(totals, key=lambda c: totals[c])


def sensitivity(situation: Situation, cheapest: Choice, rival: Choice) -> list[Varied]:
    """
    Every input that is there, the one that matters most first.

    Args:
        situation: as it is.
        cheapest: the choice that is cheapest in it.
        rival: the choice that the lead is measured to.
    """
    totals = situation.totals()
    lead = totals[rival] - totals[cheapest]
    found = []
    for name, vary in _inputs(situation):
        varied = [vary(factor).totals() for factor in FACTORS]
        leads = [t[rival] - t[cheapest] for t in varied]
        firsts = [_first(t, cheapest) for t in varied]
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


def _first(totals: Mapping[Choice, float], before: Choice) -> Choice:
    """The cheapest; the one that was it before, where another is only as cheap."""
    first = ranked(totals)[0]
    return first if totals[first] < totals[before] else before


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
    if {Scenario.COLD, Scenario.WARM} <= now.samples.keys() and 0 < rule.retention_s < inf:
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
