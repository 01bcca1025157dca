"""
What the numbers mean, in sentences that stand in every answer.

Some hold whatever the numbers are, and are forgotten all the same: that a sleeping engine still
pays for its GPU, that a node in a pool is a node that is paid for.
"""

import math
from collections.abc import Iterator

from firstlight.breakeven.answer import Answer, Question
from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import DAY_S
from firstlight.breakeven.formula import BreakEven
from firstlight.breakeven.poisson import Poisson
from firstlight.breakeven.sample import Sample
from firstlight.core.amounts import length, money, number, short

_FEW_RETURNS = 30


def sentences(question: Question, answer: Answer) -> Iterator[str]:
    """The sentences, each whole."""
    yield from _sure(answer)
    yield from _keeping(question, answer)
    yield _sleep(question, answer)
    yield _pool(question, answer)
    yield from _noise(question, answer)


def _sure(answer: Answer) -> Iterator[str]:
    for other, between in answer.intervals.items():
        if between is not None and not between.excludes_zero:
            yield (
                f"by these start times {answer.cheapest.choice} and {other} cannot be told apart: "
                "the difference may be nothing; measure more starts"
            )
    coarse = [s.value for s in answer.samples if answer.samples[s].is_coarse]
    if coarse:
        yield (
            f"the {' and '.join(coarse)} starts differ by less than each of them is known: the "
            "intervals are as wide as that"
        )
    equal = [s.value for s in answer.samples if _say_nothing(answer.samples[s])]
    if equal:
        yield (
            f"the numbers of {' and '.join(equal)} are all equal: they say nothing of how far "
            "starts lie apart, and what hangs on them alone has no interval"
        )
    statements = [s.value for s in answer.samples if answer.samples[s].is_statement]
    if statements:
        yield (
            f"one number was stated for {' and '.join(statements)}, not measured: what hangs on "
            "it has no interval"
        )


def _say_nothing(sample: Sample) -> bool:
    """Whether several numbers are one, and nobody knows how exact it is."""
    return len(sample.seconds) > 1 and len(set(sample.seconds)) == 1 and not sample.is_coarse


def _keeping(question: Question, answer: Answer) -> Iterator[str]:
    if answer.curve is None:
        return
    best = answer.curve.best
    if best.window_s == 0:
        yield (
            "no retention window pays: to keep the node costs more, with every window, than the "
            "warm starts save"
            if best.cost <= min(point.cost for point in answer.curve.points)
            else "no retention window pays: the best saves less than a thousandth of the cost"
        )
    elif math.isinf(best.window_s):
        yield (
            "a node is best kept for good, or not at all, and here for good; and then staying "
            "awake costs the same and nobody waits"
        )
    else:
        one_draw = question.drawn and question.retention_s is None
        yield (
            f"the best retention window is {'about ' if question.drawn else ''}"
            f"{length(best.window_s)}: it finds the node at {best.hit_rate:.0%} of the returns"
            + ("; it is the best of one draw, and another --seed has another" if one_draw else "")
        )
    if isinstance(question.arrivals, Poisson):
        yield (
            "requests at random at one rate have no memory: the longer nobody came, the next "
            "comes no sooner; so no window between none and for good is ever best"
        )
    found = answer.break_even
    if found and found.saved_s < 0:
        yield (
            f"a warm start takes {short(-found.saved_s)} longer than a cold one: are the two "
            "swapped? as they are, there is nothing to keep the node for"
        )
    elif found and found.saved_s == 0:
        yield "a warm start is no shorter than a cold one: there is nothing to keep the node for"
    elif found:
        yield _verdict(found, answer.rule.retention_s)


def _verdict(found: BreakEven, window_s: float) -> str:
    """Whether the node kept costs less than scaling to zero, at the hit rate that it has."""
    kept = "for good" if math.isinf(window_s) else f"for {length(window_s)}"
    equal = found.at_hit_rate_of_totals
    if equal is None:
        return f"keeping the node {kept} does not pay: no hit saves anything"
    pays = "pays" if found.keeping_pays else "does not pay"
    than = "more" if found.keeping_pays else "less"
    if f"{found.hit_rate:.0%}" == f"{equal:.0%}":
        than = f"a little {than}"
    limit = f"{equal:.0%}" if equal <= 1 else f"{equal:.0%}, which is never,"
    return (
        f"keeping the node {kept} {pays} against scaling to zero: {found.hit_rate:.0%} of the "
        f"returns find it, {than} than the {limit} where both cost the same"
    )


def _sleep(question: Question, answer: Answer) -> str:
    worth = question.prices.freed_memory_worth
    if not worth:
        return (
            "sleep costs what staying awake costs, and its users wait besides: it saves money "
            "only where another engine uses the freed memory (--freed-memory-worth)"
        )
    slept = next((one for one in answer.priced if one.choice is Choice.SLEEP), None)
    if slept is None or slept.course is None:
        return f"a sleeping engine still pays {1 - worth:.0%} of its node"
    whole = DAY_S * question.prices.node_per_s
    return (
        f"sleep is cheaper than staying awake only by what another engine pays for the freed "
        f"memory: {money(whole - slept.node_cost)} a day of {money(whole)}"
    )


def _pool(question: Question, answer: Answer) -> str:
    whole = money(DAY_S * question.prices.node_per_s)
    warm = answer.samples.get(Scenario.WARM)
    wait = f"a warm start of {short(warm.mean_s)}" if warm else "a warm start"
    return (
        f"with one replica a warm pool is dominated: a node that stands ready costs {whole} a "
        f"day, as much as staying awake, and its users still wait for {wait}; it pays only for "
        "scale-out, when more replicas start beside those that serve"
    )


def _noise(question: Question, answer: Answer) -> Iterator[str]:
    """How much the arrivals can carry."""
    seen = question.arrivals.days
    courses = [one.course for one in answer.priced if one.course is not None]
    returns = min((course.returns for course in courses), default=0.0)
    if seen is None:
        return
    if returns * seen < _FEW_RETURNS:
        count = number(returns * seen)
        intervals = any(one is not None for one in answer.intervals.values())
        yield (
            f"the trace holds {count} return{'' if count == '1' else 's'} to an engine that is "
            "down: too few to be sure of a day"
            + ("; the interval is of the start times only" if intervals else "")
        )
    if seen < 1:
        yield f"the trace is {length(seen * DAY_S)} long: a day is taken to be all like it"
