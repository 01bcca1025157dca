"""
The JSON of a comparison, schema `firstlight.compare/1`.

Fields may be added, never renamed. Seconds are numbers; a difference is the second set's less
the first's, so that a start which got faster has a negative one.
"""

from typing import Any

from firstlight.compare.comparability import Differs
from firstlight.compare.comparison import Comparison, Metric
from firstlight.compare.drift import Drift
from firstlight.compare.reconcile import Part, Reconciliation
from firstlight.compare.sets import RoundSet
from firstlight.compare.statistics import METHODS
from firstlight.core.intervals import Spread
from firstlight.core.units import seconds

SCHEMA = "firstlight.compare/1"


def comparison_document(found: Comparison) -> dict[str, Any]:
    """The whole document."""
    may = found.comparable
    return {
        "schema": SCHEMA,
        "first": _set(found.first),
        "second": _set(found.second),
        "verdict": found.verdict.value,
        "against": list(may.against),
        "declared": [_differs(one) for one in may.declared],
        "undeclared": [_differs(one) for one in may.undeclared],
        "unknown": list(may.unknown),
        "varying": [
            {"name": one.name, "first": dict(one.first), "second": dict(one.second)}
            for one in may.varying
        ],
        "metrics": [_metric(one) for one in found.metrics],
        "also_moved": [one.name for one in found.metrics if one.also_moved],
        "outliers": list(found.outlying),
        "drift": drift_document(found.drift),
        "notes": list(found.notes),
        "method": list(METHODS),
    }


def drift_document(found: Drift | None) -> dict[str, Any] | None:
    """Whether a run drifted; None with too few rounds to say."""
    if found is None:
        return None
    return {
        "correlation": round(found.correlation, 4),
        "p": round(found.p, 6),
        "rounds": found.rounds,
        "seen": found.is_seen,
    }


def reconciliation_document(found: Reconciliation) -> dict[str, Any]:
    """Cold against warm."""
    return {
        "first": found.first,
        "second": found.second,
        "first_s": seconds(found.first_ns),
        "second_s": seconds(found.second_ns),
        "difference_s": seconds(found.difference_ns),
        "went_away": [_part(part) for part in found.away],
        "came_back": [_part(part) for part in found.again],
        "remainder_s": seconds(found.remainder_ns),
        "uncertainty_s": seconds(found.uncertainty_ns),
    }


def _set(one: RoundSet) -> dict[str, Any]:
    return {
        "name": one.name,
        "rounds": len(one.counted),
        "left_out": [{"round": left.round.name, "why": left.why} for left in one.left_out],
    }


def _differs(one: Differs) -> dict[str, str]:
    return {"name": one.name, "first": one.first, "second": one.second}


def _metric(one: Metric) -> dict[str, Any]:
    found, interval = one.found, one.interval_ns
    return {
        "name": one.name,
        "claimed": one.claimed,
        "seen": one.is_seen,
        "first": _spread(one.first),
        "second": _spread(one.second),
        "difference_s": seconds(one.change_ns) if one.change_ns is not None else None,
        "low_s": seconds(interval[0]) if interval else None,
        "high_s": seconds(interval[1]) if interval else None,
        "p": round(found.p, 6) if found else None,
        "p_adjusted": round(one.adjusted_p, 6) if one.adjusted_p is not None else None,
        "smallest_effect_s": _smallest(one),
        "resolution_s": seconds(one.resolution_ns),
        "verdict": one.verdict.value if one.verdict else None,
        "also_moved": one.also_moved,
    }


def _smallest(one: Metric) -> float | None:
    """None where so few rounds could show nothing, however large."""
    if one.found is None or one.found.smallest_ns is None:
        return None
    return seconds(max(one.found.smallest_ns, one.resolution_ns))


def _spread(one: Spread | None) -> dict[str, Any]:
    """No numbers where no round of that side tells the length."""
    if one is None:
        return {"n": 0, "median_s": None, "lowest_s": None, "highest_s": None}
    return {
        "n": one.rounds,
        "median_s": seconds(one.median_ns),
        "lowest_s": seconds(one.lowest_ns),
        "highest_s": seconds(one.highest_ns),
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "phases": list(part.phases),
        "first_s": seconds(part.first_ns),
        "second_s": seconds(part.second_ns),
        "away_s": seconds(part.away_ns),
    }
