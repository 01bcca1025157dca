"""
The page's sentences, made from the numbers.
"""

from collections.abc import Mapping
from statistics import median
from typing import Any

from firstlight.core.moments import rfc3339
from firstlight.report.page.palette import name
from firstlight.report.page.rows import middle, results

NOTHING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


def seconds(value: float | None, *, signed: bool = False) -> str:
    """So many seconds, with as many digits as help; a dash where there are none."""
    if value is None:
        return NOTHING
    digits = 1 if abs(value) >= 100 else 2  # noqa: PLR2004
    text = f"{value:+.{digits}f} s" if signed else f"{value:.{digits}f} s"
    return text.replace("-", _MINUS)


def share(value: float) -> str:
    """A part of one in percent."""
    return f"{value:.1%}"


def headline(document: Mapping[str, Any], scenario: str) -> str:
    """What came of it, in one sentence: from the first step's median to the last one's."""
    measured = [
        (step, totals)
        for step in document["steps"]
        if (totals := [one["total_s"] for one in results(step, scenario)])
    ]
    if not measured:
        return "No round came up, so nothing is said about seconds."
    first, last = measured[0], measured[-1]
    begins = median(first[1])
    if len(measured) == 1:
        return f"{first[0]['name']}: {seconds(begins)} {_kind(scenario)}."
    ends = median(last[1])
    return (
        f"{seconds(begins)} with {first[0]['name']}, {seconds(ends)} with {last[0]['name']}: "
        f"medians of {len(first[1])} and {len(last[1])} {_kind(scenario)}s, measured, not added up."
    )


def verdict(comparison: Mapping[str, Any] | None) -> str:
    """The verdict of a step against the one before; empty where there is none."""
    if not comparison:
        return ""
    if comparison.get("not_applied"):
        return "not applied"
    return str(comparison.get("verdict_words") or comparison.get("verdict") or "")


def moved(comparison: Mapping[str, Any], which: str) -> str:
    """One measured change with its interval and the smallest that could have been seen."""
    metric = next((m for m in comparison.get("metrics", ()) if m["name"] == which), None)
    if metric is None or metric.get("difference_s") is None:
        return NOTHING
    text = seconds(metric["difference_s"], signed=True)
    if metric.get("low_s") is not None and metric.get("high_s") is not None:
        low, high = (seconds(metric[end], signed=True) for end in ("low_s", "high_s"))
        text += f" ({low} to {high})"
    return text


def claims(step: Mapping[str, Any]) -> str:
    """The phases that a step says it moves."""
    return ", ".join(name(phase) for phase in step.get("claims") or ()) or "none"


def shown_round(step: Mapping[str, Any], scenario: str) -> Mapping[str, Any] | None:
    """The round that stands for a step in the waterfall."""
    return middle(results(step, scenario))


def moment(unix_ns: int | None) -> str:
    """A moment in UTC; empty where none is known."""
    return "" if unix_ns is None else rfc3339(unix_ns)


def _kind(scenario: str) -> str:
    return f"{scenario} start" if scenario != "wake" else "wake"
