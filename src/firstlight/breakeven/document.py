"""
What `firstlight breakeven` says, as one document: the JSON contract, and what the text is made of.

Fields may be added, not renamed. Costs are by the day, in the currency of the prices; a length
that never ends is null, and says so beside it.
"""

import math
from collections.abc import Sequence
from typing import Any

from firstlight.breakeven.answer import Answer, Question
from firstlight.breakeven.bootstrap import METHOD
from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.formula import BreakEven
from firstlight.breakeven.prices import HOUR_S
from firstlight.breakeven.pricing import Priced
from firstlight.breakeven.sample import Sample
from firstlight.breakeven.sensitivity import Varied
from firstlight.breakeven.sentences import sentences
from firstlight.breakeven.windows import Point
from firstlight.core.records import Form
from firstlight.core.units import seconds

BREAKEVEN = Form(name="breakeven")
_P95 = 0.95


def document(
    question: Question, answer: Answer, *, arrivals: str, notes: Sequence[str]
) -> dict[str, Any]:
    """
    The answer.

    Args:
        question: what was given.
        answer: what came out.
        arrivals: the requests, in words.
        notes: what was odd about the input, in sentences.
    """
    prices, rule = question.prices, answer.rule
    return {
        "schema": BREAKEVEN.schema,
        "estimate": True,
        "arrivals": arrivals,
        "prices": {
            "node_per_hour": prices.node_per_hour,
            "penalty_per_s": prices.penalty_per_s,
            "freed_memory_worth": prices.freed_memory_worth,
        },
        "rule": {
            "idle_s": rule.idle_s,
            "request_s": rule.request_s,
            "retention_s": _length(rule.retention_s),
            "retention_given": question.retention_s is not None,
        },
        "starts": {s.value: _sample(answer.samples[s]) for s in Scenario if s in answer.samples},
        "choices": [_priced(one) for one in answer.priced],
        "not_priced": [
            {"choice": choice.value, "why": why} for choice, why in answer.not_priced.items()
        ],
        "cheapest": {
            "choice": answer.cheapest.choice.value,
            "rival": answer.rival.choice.value,
            "lead_per_day": answer.rival.total - answer.cheapest.total,
            "others": [
                _dearer(one, answer)
                for one in sorted(answer.priced, key=lambda p: p.total)
                if one is not answer.cheapest
            ],
        },
        "break_even": answer.break_even and _break_even(answer.break_even),
        "best_window": answer.curve and _point(answer.curve.best),
        "curve": [_point(p) for p in answer.curve.points] if answer.curve else [],
        "most_sensitive_to": answer.sensitivity[0].name,
        "sensitivity": [_varied(one) for one in answer.sensitivity],
        "says": list(sentences(question, answer)),
        "notes": list(notes),
    }


def _length(length_s: float) -> float | None:
    return None if math.isinf(length_s) else length_s


def _sample(sample: Sample) -> dict[str, Any]:
    return {
        "seconds": list(sample.seconds),
        "mean_s": sample.mean_s,
        "origin": "measured" if sample.measured else "stated",
        "uncertainty_s": sample.uncertainty_s,
        "source": sample.source,
    }


def _priced(one: Priced) -> dict[str, Any]:
    course = one.course
    waiters = course.waiters if course else 0.0
    waiting_s = course.waiting_s if course else 0.0
    return {
        "choice": one.choice.value,
        "node_h_per_day": one.node_s / HOUR_S,
        "node_cost_per_day": one.node_cost,
        "returns_per_day": course.returns if course else 0.0,
        "hit_rate": course.hit_rate if course else None,
        "waiters_per_day": waiters,
        "wait_mean_s": waiting_s / waiters if waiters else None,
        "wait_p95_s": course.wait_s(_P95) if course else None,
        "wait_per_request_s": waiting_s / course.requests if course else 0.0,
        "waiting_s_per_day": waiting_s,
        "waiting_cost_per_day": one.waiting_cost,
        "total_per_day": one.total,
    }


def _dearer(one: Priced, answer: Answer) -> dict[str, Any]:
    between = answer.intervals[one.choice]
    return {
        "choice": one.choice.value,
        "more_per_day": one.total - answer.cheapest.total,
        "interval": between
        and {
            "low": between.low,
            "high": between.high,
            "confidence": between.confidence,
            "method": METHOD,
            "seen": between.excludes_zero,
        },
    }


def _point(point: Point) -> dict[str, Any]:
    return {
        "retention_s": _length(point.window_s),
        "always": math.isinf(point.window_s),
        "hit_rate": point.hit_rate,
        "kept_h_per_day": point.kept_s / HOUR_S,
        "total_per_day": point.cost,
    }


def _break_even(found: BreakEven) -> dict[str, Any]:
    saved = found.saved
    return {
        "hit_rate": found.hit_rate,
        "saved_s": found.saved_s,
        "saved_interval": saved
        and {
            "low_s": seconds(saved.low_ns),
            "high_s": seconds(saved.high_ns),
            "coverage": round(saved.coverage, 4),
            "method": "exact, of pairwise differences",
        },
        "retention_cost_per_return": found.cost_per_return,
        "break_even_hit_rate": found.at_hit_rate,
        "waiting_saved_s_per_hit": found.waiting_saved_s,
        "break_even_hit_rate_of_all": found.at_hit_rate_of_all,
        "break_even_hit_rate_of_totals": found.at_hit_rate_of_totals,
        "keeping_pays": found.keeping_pays,
    }


def _varied(one: Varied) -> dict[str, Any]:
    return {
        "input": one.name,
        "lead_at_80_percent": one.leads[0],
        "lead_at_120_percent": one.leads[1],
        "cheapest_at_80_percent": one.cheapest[0].value,
        "cheapest_at_120_percent": one.cheapest[1].value,
        "flips": one.flips,
    }
