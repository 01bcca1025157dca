"""
The numbers as facts, for the conditions of `firstlight decide`.

Only what the conditions on node retention and the warm pool ask for, and the start times behind
it, each with a source that says it is an estimate where it is one, and stated where it is that.
"""

import json
from collections.abc import Iterator

from firstlight.breakeven.answer import Answer, Question
from firstlight.breakeven.choices import Choice, Scenario
from firstlight.breakeven.course import DAY_S
from firstlight.breakeven.sample import Sample
from firstlight.core.amounts import length

_HEAD = "# Facts for `firstlight decide --facts`, by `firstlight breakeven`.\n"


def facts_text(question: Question, answer: Answer, *, arrivals: str) -> str:
    """A file of facts, in YAML."""
    lines = [
        f"{name}: {{value: {_number(value)}, source: {json.dumps(source)}}}\n"
        for name, value, source in _facts(question, answer, arrivals)
    ]
    return _HEAD + "".join(lines)


def _facts(question: Question, answer: Answer, arrivals: str) -> Iterator[tuple[str, float, str]]:
    prices, samples = question.prices, answer.samples
    yield "penalty_per_s", prices.penalty_per_s, "stated to breakeven"
    found = answer.break_even
    if found is not None:
        window = length(answer.rule.retention_s)
        estimate = f"breakeven, estimate: {arrivals}, window {window}"
        yield "hit_rate", found.hit_rate, estimate
        yield "retention_cost_per_start", found.cost_per_return, estimate
        cold, warm = samples[Scenario.COLD], samples[Scenario.WARM]
        yield (
            "node_saved_s",
            found.saved_s,
            f"breakeven: mean of cold ({_whose(cold)}) less mean of warm ({_whose(warm)})",
        )
    returns = next(
        (one.course.returns for one in answer.priced if one.choice is Choice.ZERO and one.course),
        0.0,
    )
    if returns:
        yield (
            "warm_pool_cost_per_start",
            DAY_S * prices.node_per_s / returns,
            f"breakeven, estimate: one node, {arrivals}",
        )
    for name, scenario in (("warm_restart_s", Scenario.WARM), ("wake_s", Scenario.WAKE)):
        if scenario in samples:
            yield name, samples[scenario].mean_s, f"breakeven: mean, {_whose(samples[scenario])}"


def _whose(sample: Sample) -> str:
    rounds = len(sample.seconds)
    if sample.measured:
        return f"{rounds} measured"
    return "stated, not measured" if rounds == 1 else f"{rounds} stated, not measured"


def _number(value: float) -> str:
    # YAML reads 1e-05 as a text; these are numbers of money and seconds.
    return f"{value:.9f}".rstrip("0").rstrip(".") or "0"
