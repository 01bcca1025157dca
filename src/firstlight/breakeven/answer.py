"""
The whole answer: every choice priced, the cheapest, how sure, and what it hangs on.

A choice whose start times are too few has no price and is not compared; the others are. Where
no window is given for the kept node, it gets the best one there is; where none is better than
not keeping it at all, it is shown with a usual one, and is nobody's rival: its best is to scale
to zero.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from firstlight.breakeven.bootstrap import Interval, Uniform, interval
from firstlight.breakeven.choices import NEEDS, Choice, Scenario
from firstlight.breakeven.course import Arrivals, Rule
from firstlight.breakeven.formula import BreakEven, break_even
from firstlight.breakeven.prices import Prices
from firstlight.breakeven.pricing import Priced, Samples, price_all
from firstlight.breakeven.sample import Sample, TooFew, enough
from firstlight.breakeven.sensitivity import Costs, Situation, Varied, sensitivity
from firstlight.breakeven.windows import Curve, curve
from firstlight.core.errors import NothingFound

USUAL_WINDOW_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything that was given."""

    arrivals: Arrivals
    idle_s: float
    request_s: float
    retention_s: float | None
    """None to look for the best one."""
    prices: Prices
    given: Mapping[Scenario, Sample]
    left_out: Mapping[Scenario, TooFew]
    """Scenarios whose records are there and are too few, or of no one kind."""
    apart: str = ""
    """In what cold and warm starts differ, so that keeping cannot be priced; empty: in nothing."""
    drawn: bool = False
    """The arrivals are one draw of chance, and another would be another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came out."""

    rule: Rule
    """With the window that the kept node is priced with."""
    samples: Samples
    """The start times that count."""
    priced: tuple[Priced, ...]
    not_priced: Mapping[Choice, str]
    """Why not, as part of a sentence."""
    cheapest: Priced
    rival: Priced
    """The next one; not sleep, where that is only staying awake with waits, nor the kept node,
    where no window pays."""
    intervals: Mapping[Choice, Interval | None]
    """Of each other choice's cost less the cheapest's; None where no interval exists."""
    break_even: BreakEven | None
    """None where the kept node has no price, or nobody ever returns."""
    curve: Curve | None
    """None where the kept node has no price."""
    sensitivity: tuple[Varied, ...]


def answer(question: Question, *, uniform: Uniform) -> Answer:
    """
    Price the choices and compare them.

    Args:
        question: what was given.
        uniform: where the bootstrap's chance comes from.

    Raises:
        NothingFound: nothing but staying awake has a price.
    """
    samples = {s: given for s, given in question.given.items() if enough(given)}
    apart = question.apart if {Scenario.COLD, Scenario.WARM} <= samples.keys() else ""
    lacking = {
        choice: [_lack(question, s).says(s) for s in NEEDS[choice] if s not in samples]
        for choice in Choice
    }
    not_priced = {c: f"needs {', and '.join(lacks)}" for c, lacks in lacking.items() if lacks}
    if apart:
        not_priced[Choice.KEEP] = f"needs cold and warm starts of one kind: they differ in {apart}"
        # Nothing else is priced with it.
        del samples[Scenario.WARM]
    if all(choice in not_priced for choice in Choice if NEEDS[choice]):
        raise NothingFound(
            "nothing can be compared with staying awake: "
            + "; ".join(f"{choice} {why}" for choice, why in not_priced.items()),
            remedy="measure more starts (firstlight measure deployment/NAME --scenario cold --yes "
            "--rounds 4), or state one number: --cold-s 428",
        )
    for choice in (c for c, lacks in lacking.items() if lacks):
        stated = " and ".join(f"--{s}-s" for s in NEEDS[choice] if s not in samples)
        not_priced[choice] += f"; or state {stated}"
    arrivals, prices = question.arrivals, question.prices
    rule = Rule(
        idle_s=question.idle_s,
        request_s=question.request_s,
        retention_s=question.retention_s or 0.0,
    )
    found, searches = None, question.retention_s is None
    if Choice.KEEP not in not_priced:
        found = curve(arrivals, rule=rule, samples=samples, prices=prices)
        if searches:
            rule = replace(rule, retention_s=found.best.window_s or USUAL_WINDOW_S)
    priced = price_all(arrivals, rule=rule, samples=samples, prices=prices)
    by_choice = {one.choice: one for one in priced}
    costs = Costs(
        totals={one.choice: one.total for one in priced},
        keeps=not (searches and found is not None and found.best.window_s == 0),
    )
    first, *others = costs.ranked()
    rival = _rival(others, prices)
    kept = by_choice.get(Choice.KEEP)
    # Where sleep is only staying awake with waits, nothing about it can change the answer.
    of_use = samples
    if not prices.freed_memory_worth and rival is not Choice.SLEEP:
        of_use = {s: one for s, one in samples.items() if s is not Scenario.WAKE}
    doubts = _doubts(question, rule, samples, by_choice)
    situation = Situation(
        arrivals=arrivals, rule=rule, samples=of_use, prices=prices, searches=searches
    )
    return Answer(
        rule=rule,
        samples=samples,
        priced=tuple(priced),
        not_priced=not_priced,
        cheapest=by_choice[first],
        rival=by_choice[rival],
        intervals={
            other: interval(
                by_choice[other],
                by_choice[first],
                samples=samples,
                uniform=uniform,
                doubts={s: abs(off[other] - off[first]) for s, off in doubts.items()},
            )
            for other in sorted(by_choice, key=lambda c: by_choice[c].total)
            if other is not first
        },
        break_even=(
            break_even(
                kept, by_choice[Choice.ZERO], arrivals, rule=rule, samples=samples, prices=prices
            )
            if kept
            else None
        ),
        curve=found,
        sensitivity=tuple(sensitivity(situation, first, rival)),
    )


def _doubts(
    question: Question, rule: Rule, samples: Samples, priced: Mapping[Choice, Priced]
) -> dict[Scenario, dict[Choice, float]]:
    """What each choice costs more if the starts of a scenario are as long as they may be."""
    found: dict[Scenario, dict[Choice, float]] = {}
    for scenario, sample in samples.items():
        if sample.is_coarse:
            longer = {**samples, scenario: sample.longer(sample.uncertainty_s)}
            more = price_all(question.arrivals, rule=rule, samples=longer, prices=question.prices)
            found[scenario] = {p.choice: p.total - priced[p.choice].total for p in more}
    return found


def _rival(others: Sequence[Choice], prices: Prices) -> Choice:
    """The choice that may take the cheapest one's place."""
    if prices.freed_memory_worth:
        return others[0]
    return next((choice for choice in others if choice is not Choice.SLEEP), others[0])


def _lack(question: Question, scenario: Scenario) -> TooFew:
    if scenario in question.left_out:
        return question.left_out[scenario]
    given = question.given.get(scenario)
    return TooFew(has=len(given.seconds) if given else 0)
