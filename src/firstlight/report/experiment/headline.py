"""
What came of a run, in the sentences that stand first.

Whoever reads no further must not have read more than the verdicts carry. So the first sentence is
the total of the recommended steps, held against the base directly, with its interval, its verdict
and the number of rounds; where there is no such total it says why. A change of one's own is never
what a run is about, and steps that were not applied are named in the same breath.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firstlight.compare.verdict import FEWEST, Verdict
from firstlight.report.experiment import words
from firstlight.report.experiment.rows import results

_KINDS = ("recommended", "conditional")
_MOST = 4
"""Changes that are named in one sentence."""
_BELOW = Verdict.BELOW_RESOLUTION
_NOT_ALONE = "not alone"
"""Why the document has no total: steps ran together with others only."""


def headline(document: Mapping[str, Any], scenario: str) -> str:
    """What came of one kind of start."""
    measured = [step for step in document["steps"] if results(step, scenario)]
    if not measured:
        return "No round that counts came up, so nothing is said about seconds."
    return " ".join([_seconds(document, measured, scenario), *_answers(measured, scenario)])


def _seconds(
    document: Mapping[str, Any], measured: Sequence[Mapping[str, Any]], scenario: str
) -> str:
    base = measured[0]
    if len(measured) == 1:
        return f"{_alone(base, scenario)} Nothing is held against it yet."
    fewest = min(len(results(step, scenario)) for step in measured)
    if fewest < FEWEST and _has_no_verdict(measured, scenario):
        rounds = words.counted(fewest, words.kind(scenario))
        return (
            f"Too few rounds to conclude anything from: {rounds} of a step, and {FEWEST} are "
            "needed. What is drawn below shows where seconds go, not what a change brings."
        )
    return _total(document, measured, scenario) or _of_own(measured, scenario)


def _alone(base: Mapping[str, Any], scenario: str) -> str:
    n = len(results(base, scenario))
    median_s = base["scenarios"][scenario]["summary"]["total"]["median_s"]
    of = "one" if n == 1 else f"median of {n}"
    return f"{base['name']}: {words.seconds(median_s)}, {of} {_plural(n, scenario)}."


def _plural(n: int, scenario: str) -> str:
    return words.kind(scenario) + ("" if n == 1 else "s")


def _has_no_verdict(measured: Sequence[Mapping[str, Any]], scenario: str) -> bool:
    """Whether no step has rounds enough to be held against the one before it."""
    verdicts = [
        found["verdict"]
        for step in measured
        if (found := (step.get("against_previous") or {}).get(scenario))
    ]
    return all(one == Verdict.TOO_FEW for one in verdicts)


def _total(
    document: Mapping[str, Any], measured: Sequence[Mapping[str, Any]], scenario: str
) -> str:
    """The recommended steps' total, else the conditional ones', else why there is none."""
    totals = document.get("totals") or {}
    missing = [
        one
        for one in document.get("no_totals") or ()
        if one["scenario"] == scenario and one["what"] == "total"
    ]
    for kind in _KINDS:
        if total := (totals.get(kind) or {}).get(scenario):
            return _told(total, measured[0], kind, scenario)
        for one in missing:
            if one["kind"] == kind:
                none = f"No total of the {kind} steps: {words.sentence(one['why'])}."
                apart = one["because"] == _NOT_ALONE
                return f"{none} {_each(measured[1:], scenario)}" if apart else none
    return ""


def _told(total: Mapping[str, Any], base: Mapping[str, Any], kind: str, scenario: str) -> str:
    first, second = total["n"]
    names = words.both(total["steps"])
    verdict = total["verdict"]
    begins, ends = words.seconds(total["from_s"]), words.seconds(total["to_s"])
    rounds = f"medians of {first} and {_plural_of(second, scenario)}, held against each other"
    beside = "".join(f" {said}" for said in (not_in_turn(total), not_applied(total)) if said)
    if verdict in (Verdict.FASTER, Verdict.SLOWER):
        text = (
            f"{begins} with {base['name']}, {ends} with {names} ({kind}): {verdict}, "
            f"{words.change(total)}; {rounds}."
        )
    else:
        found = (
            f" An effect of {words.seconds(total['smallest_effect_s'])} would be found four times "
            "in five."
            if total.get("smallest_effect_s") is not None
            else ""
        )
        seen = "A difference below resolution" if verdict == _BELOW else "No difference seen"
        text = (
            f"{seen} between {base['name']} ({begins}) and {names} ({ends}; "
            f"{kind}), {words.change(total)}; {rounds}.{found}"
        )
    return text + beside


def _plural_of(n: int, scenario: str) -> str:
    return words.counted(n, words.kind(scenario))


def not_in_turn(total: Mapping[str, Any]) -> str:
    """That some of its rounds did not take turns, as a sentence; empty where all did."""
    said = total.get("not_in_turn")
    return f"{said}." if said else ""


def not_applied(total: Mapping[str, Any]) -> str:
    """The steps that are no part of a total because they took no effect."""
    names = total.get("not_applied") or ()
    if not names:
        return ""
    are = "was not applied and is" if len(names) == 1 else "were not applied and are"
    return f"{words.both(names)} {are} no part of it."


def _of_own(measured: Sequence[Mapping[str, Any]], scenario: str) -> str:
    """Where no technique is in the plan: each change with its own verdict."""
    base, *changes = measured
    return f"{_alone(base, scenario)} {_each(changes, scenario)}".rstrip()


def _each(changes: Sequence[Mapping[str, Any]], scenario: str) -> str:
    told = [
        f"{step['name']}: {_verdict(found)}"
        for step in changes
        if (found := (step.get("against_previous") or {}).get(scenario))
    ]
    if not told:
        return ""
    more = len(told) - _MOST
    shown = "; ".join(told[:_MOST]) + (f"; {more} more below" if more > 0 else "")
    return f"Each against the step before it: {shown}."


def _verdict(comparison: Mapping[str, Any]) -> str:
    if comparison.get("not_applied"):
        return "not applied"
    if comparison["verdict"] in (Verdict.TOO_FEW, Verdict.NOT_COMPARABLE):
        return str(comparison["verdict"])
    late = f" ({comparison['not_in_turn']})" if comparison.get("not_in_turn") else ""
    return f"{comparison['verdict']}, {words.moved(comparison, 'total')}{late}"


def _answers(measured: Sequence[Mapping[str, Any]], scenario: str) -> Iterator[str]:
    if lacks := words.baseline_unanswered(measured, scenario):
        yield f"But {lacks}."
    steps = [step for step in measured if step["number"]]
    if found := [step["name"] for step in steps if words.serves_otherwise(step, scenario)]:
        yield f"But at {words.both(found)} the engine does not answer as the baseline's does."
