"""
Numbers and verdicts in words, as page, Markdown and terminal say them.

What a step came to is in one place, so that no two of them say different things of one run:
its verdict, what its engine answers, what it could have shown, and what was left out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from firstlight.compare.verdict import Verdict
from firstlight.core.moments import rfc3339
from firstlight.report.experiment.palette import name
from firstlight.report.experiment.rows import results, shown_round

NOTHING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"
_LONG_S, _SHORT_S, _TINY_S = 100, 0.1, 0.001
_MS = 1000
_FAR = 0.05
"""A round further from its median than this share of it is no typical one."""
_HYPHEN = re.compile(r"(?<![^\s(])-(?=\d)")
"""In front of a number, as `notes` have it."""


def seconds(
    value: float | None, *, signed: bool = False, beside: Sequence[float | None] = ()
) -> str:
    """
    So many seconds, with as many digits as help; a dash where there are none.

    Args:
        value: how many.
        signed: whether a plus is said too.
        beside: what is said in the same breath: all of it has one unit and as many digits.
    """
    if value is None:
        return NOTHING
    sizes = [abs(one) for one in (value, *beside) if one]
    unit, digits = "s", max(map(_digits, sizes), default=2)
    if sizes and max(sizes) < _TINY_S:
        value, unit, digits = value * _MS, "ms", 2
    text = f"{value:{'+' if signed else ''}.{digits}f} {unit}"
    return text.replace("-", _MINUS)


def _digits(size: float) -> int:
    return 1 if size >= _LONG_S else 2 if size >= _SHORT_S else 3


def milliseconds(value: float | None) -> str:
    """Of what an answer takes."""
    if value is None:
        return NOTHING
    return f"{value * _MS:.{0 if value >= _TINY_S * 10 else 1}f} ms"


def share(value: float) -> str:
    """A part of one in percent."""
    return f"{value:.1%}"


def sentence(text: str) -> str:
    """A sentence of the document with the minus sign that all numbers here have."""
    return _HYPHEN.sub(_MINUS, text)


def counted(number: int, what: str) -> str:
    """`1 round`, `2 rounds`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def both(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def kind(scenario: str) -> str:
    """What a round of it is called."""
    return f"{scenario} start" if scenario != "wake" else "wake"


def verdict(comparison: Mapping[str, Any] | None) -> str:
    """The verdict of a step against the one before; empty where there is none."""
    if not comparison:
        return ""
    if comparison.get("not_applied"):
        return "not applied: whatever moved, it was not the technique"
    claimed = [m for m in comparison.get("metrics", ()) if m.get("claimed")]
    if comparison.get("against") or not claimed:
        reasons = "; ".join(comparison.get("against") or ())
        return f"{Verdict.NOT_COMPARABLE}: {reasons}" if reasons else str(comparison["verdict"])
    return "; ".join(_said(metric, comparison) for metric in claimed)


def _said(metric: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """The verdict on one length; how much the total moved stands beside it."""
    words = f"{name(metric['name'])} {metric['verdict']}"
    if metric["name"] == "total" or metric.get("low_s") is None:
        return words
    return f"{words}, {moved(comparison, metric['name'])}"


def no_verdict(step: Mapping[str, Any], scenario: str) -> str:
    """Why a step has none."""
    if not step["number"]:
        return "the first step"
    rounds = (step["scenarios"].get(scenario) or {}).get("rounds") or ()
    failed = [one for one in rounds if one["outcome"] != "ready"]
    if results(step, scenario):
        return "the step before has no result"
    if failed:
        return f"no result: {failed[-1].get('cause') or 'it failed'}"
    left_out = [one["left_out"] for one in rounds if one.get("left_out")]
    return f"no result: {left_out[-1]}" if left_out else "not run yet"


def serving(step: Mapping[str, Any], scenario: str) -> str:
    """What the engine answers beside the baseline; empty where it was not asked."""
    told = _served(step, scenario)
    if not told:
        return ""
    if told["problems"]:
        which = f"{len(told['problems'])} of {counted(told['rounds'], 'round')}"
        return f"a request was not answered in {which}: {told['problems'][0]}"
    if told["same_text"] is not None:
        return "says the same" if told["same_text"] else "says SOMETHING ELSE"
    if told["lowest_agreement"] is None:
        return "there is no answer of the baseline to hold it against"
    own = told["baseline_agreement"]
    return (
        f"{told['lowest_agreement']:.0%} of the tokens agree with the baseline "
        f"(its own rounds: {own:.0%})"
    )


def fixed_request(step: Mapping[str, Any], scenario: str) -> str:
    """What one request takes before a sleep and after it; empty where nobody measured it."""
    told = (step["scenarios"].get(scenario) or {}).get("fixed_request")
    if not told:
        return ""
    before, after = (milliseconds(told[which]) for which in ("before_s", "after_s"))
    text = f"a fixed request takes {before} before the sleep and {after} after the wake-up"
    if told["difference_s"] is None:
        return text
    ends = (told[which] * _MS for which in ("difference_s", "low_s", "high_s"))
    far, low, high = (f"{one:+.1f} ms".replace("-", _MINUS) for one in ends)
    return f"{text}, {far} ({low} to {high})"


def served(step: Mapping[str, Any], scenario: str) -> str:
    """All that is known of its answers; empty where nothing is."""
    texts = (serving(step, scenario), fixed_request(step, scenario))
    return "; ".join(filter(None, texts))


def serves_otherwise(step: Mapping[str, Any], scenario: str) -> bool:
    """Whether its engine does not answer as the baseline's does."""
    return bool(_served(step, scenario).get("otherwise"))


def baseline_unanswered(steps: Sequence[Mapping[str, Any]], scenario: str) -> str:
    """That the engine others are held against does not answer itself; empty where it does."""
    for step in steps:
        told = _served(step, scenario)
        if step["number"] or not told.get("problems"):
            continue
        words = f"the engine of {step['name']} leaves requests unanswered itself"
        if told.get("answers_nothing"):
            words = (
                f"the engine of {step['name']} answers nothing itself, so no step is held against "
                "it on what it serves"
            )
        return f"{words} ({serving(step, scenario)})"
    return ""


def _served(step: Mapping[str, Any], scenario: str) -> Mapping[str, Any]:
    """Its serving check; empty where it was not asked."""
    return (step["scenarios"].get(scenario) or {}).get("serving") or {}


def effect(step: Mapping[str, Any], scenario: str) -> str:
    """Whether its technique took effect, in how many rounds."""
    if step.get("technique") is None:
        return "has no sign to look for" if step["number"] else NOTHING
    states = (step["scenarios"].get(scenario) or {}).get("effect") or {}
    if len(states) == 1:
        return str(next(iter(states)))
    told = (f"{state} in {counted(count, 'round')}" for state, count in states.items())
    return ", ".join(told) or NOTHING


def moved(comparison: Mapping[str, Any], which: str) -> str:
    """One measured change with its interval."""
    metric = next((m for m in comparison.get("metrics", ()) if m["name"] == which), None)
    return NOTHING if metric is None else change(metric)


def change(metric: Mapping[str, Any]) -> str:
    """A difference with its interval, where it has one."""
    if metric.get("difference_s") is None:
        return NOTHING
    ends = [metric.get(end) for end in ("low_s", "high_s")]
    if None in ends:
        return seconds(metric["difference_s"], signed=True)
    said = (metric["difference_s"], *ends)
    far, low, high = (seconds(one, signed=True, beside=said) for one in said)
    return f"{far} ({low} to {high})"


def smallest(comparison: Mapping[str, Any]) -> str:
    """The smallest change that these rounds find, of what was fixed beforehand."""
    found = [m for m in comparison.get("metrics", ()) if m.get("claimed")]
    told = (
        f"{name(m['name'])} {seconds(m['smallest_effect_s'])}"
        for m in found
        if m.get("smallest_effect_s") is not None
    )
    return ", ".join(told) or NOTHING


def also_moved(comparison: Mapping[str, Any]) -> str:
    """The phases that nobody had named, and moved; empty where none did."""
    return ", ".join(
        f"{name(which)} {moved(comparison, which)}" for which in comparison.get("also_moved") or ()
    )


def claims(step: Mapping[str, Any]) -> str:
    """The phases that a step says it moves."""
    return ", ".join(name(phase) for phase in step.get("claims") or ()) or "none"


def beside_median(step: Mapping[str, Any], scenario: str) -> str:
    """How far the round that is drawn lies from the median of all; empty without one."""
    one, found = shown_round(step, scenario), step["scenarios"].get(scenario) or {}
    total = (found.get("summary") or {}).get("total")
    if one is None or not total:
        return ""
    n, median_s, drawn_s = len(results(step, scenario)), total["median_s"], one["total_s"]
    if n == 1:
        return f"{seconds(drawn_s)}, its only round"
    apart = abs(drawn_s - median_s)
    words = f"median of {n}: {seconds(median_s)}; drawn: {seconds(drawn_s)}"
    return f"{words}, {seconds(apart)} apart" if apart > _FAR * median_s else words


def comparisons(
    document: Mapping[str, Any], scenario: str
) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each step that was held against the one before it, and what came of it."""
    return [
        (step, found)
        for step in document["steps"]
        if (found := (step.get("against_previous") or {}).get(scenario))
    ]


def left_out(document: Mapping[str, Any], scenario: str) -> list[str]:
    """Which rounds were left out of the comparisons, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for _, comparison in comparisons(document, scenario):
        for side in (comparison.get("first") or {}, comparison.get("second") or {}):
            for one in side.get("left_out") or ():
                by_reason.setdefault(one["why"], []).append(one["round"])
    return [f"{why}: {', '.join(dict.fromkeys(names))}" for why, names in by_reason.items()]


def notes(document: Mapping[str, Any], scenario: str) -> list[str]:
    """What has to be said beside the comparisons, with the name of the step."""
    return [
        f"{step['name']}: {sentence(note)}"
        for step, comparison in comparisons(document, scenario)
        for note in comparison.get("notes") or ()
    ]


def moment(unix_ns: int | None) -> str:
    """A moment in UTC; empty where none is known."""
    return "" if unix_ns is None else rfc3339(unix_ns)
