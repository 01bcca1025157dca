"""
The numbers of a document as rows: what the charts draw, and what the tables beside them say.

A step is shown by the one of its rounds that the document names: its phases add up to its
total, which medians of phases do not. Which round counts is read there too, and not decided.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firstlight.compare.verdict import Verdict
from firstlight.report.experiment.palette import name

Row = dict[str, Any]
_SHORTEST_SHARE = 0.004
"""A part shorter than this share of its start is no bar that anybody could point at."""
_DEEPEST = 3
_QUOTE = 400
_NO_RESULT = (Verdict.NOT_COMPARABLE, Verdict.TOO_FEW)
"""Verdicts that say that there is none, whatever the seconds."""


def label(step: Mapping[str, Any]) -> str:
    """What a step is called in charts."""
    return f"{step['number']} · {step['name']}"


def own_words(step: Mapping[str, Any]) -> list[str]:
    """What a plan says of a change of its own; nothing of a technique, which a card speaks for."""
    return [step["says"]] if step.get("says") and not step.get("technique") else []


def results(step: Mapping[str, Any], scenario: str) -> list[Row]:
    """The rounds of a step that count."""
    rounds = step["scenarios"].get(scenario, {}).get("rounds", [])
    return [one for one in rounds if one["counts"]]


def shown_round(step: Mapping[str, Any], scenario: str) -> Row | None:
    """The round that stands for a step, as the document names it; None where none counts."""
    found = step["scenarios"].get(scenario, {})
    shown = found.get("shown")
    return next((one for one in results(step, scenario) if one["order"] == shown), None)


def stacked(steps: Sequence[Mapping[str, Any]], scenario: str) -> list[Row]:
    """A row for each phase of the round that stands for a step, in the order of a start."""
    rows: list[Row] = []
    for step in steps:
        one = shown_round(step, scenario)
        total = (step["scenarios"].get(scenario, {}).get("summary") or {}).get("total") or {}
        for order, phase in enumerate(one["phases"] if one else ()):
            rows.append(
                {
                    "step": label(step),
                    "n": len(results(step, scenario)),
                    "median": total.get("median_s"),
                    "phase": name(phase["name"]),
                    "order": order,
                    "seconds": round(phase["seconds"], 3),
                    "share": round(phase["seconds"] / one["total_s"], 4) if one else 0,
                }
            )
    return rows


def dots(steps: Sequence[Mapping[str, Any]], scenario: str) -> list[Row]:
    """A row for each round that has a total; fills and failed ones too, said to be."""
    return [
        {
            "step": label(step),
            "round": one["slot"],
            "folder": one.get("folder", ""),
            "seconds": round(one["total_s"], 3),
            "kind": _kind(one),
        }
        for step in steps
        for one in step["scenarios"].get(scenario, {}).get("rounds", [])
        if one.get("total_s") is not None
    ]


def _kind(one: Mapping[str, Any]) -> str:
    if one["outcome"] != "ready":
        return "failed"
    if one.get("purpose") == "fill":
        return "fill, no result"
    if not one["counts"]:
        return "left out"
    return "outlier" if one.get("outlier") else "result"


def bars(phases: Sequence[Mapping[str, Any]], total_s: float) -> list[Row]:
    """
    The waterfall: phases and their longer parts with where they lie, and what proves them.

    Each row has an `id`, its place in the list: bars, table and details find each other by it.
    """
    rows: list[Row] = []
    at = 0.0
    for phase in phases:
        begins = _or(phase.get("from_s"), at)
        rows.extend(_bars(phase, top=phase["name"], begins=begins, depth=0, least=total_s))
        at = begins + phase["seconds"]
    for number, row in enumerate(rows):
        row["id"] = number
        row["row"] = f"{number:04}"
    return rows


def _bars(
    span: Mapping[str, Any], *, top: str, begins: float, depth: int, least: float
) -> Iterator[Row]:
    ends = _or(span.get("to_s"), begins + span["seconds"])
    evidence = span.get("evidence") or []
    yield {
        "name": name(span["name"]),
        "phase": name(top),
        "depth": depth,
        "from": round(begins, 3),
        "to": round(ends, 3),
        "seconds": round(span["seconds"], 3),
        "uncertainty": round(span.get("uncertainty_s", 0.0), 3),
        "share": round(span["seconds"] / least, 4) if least else 0,
        "explained": span.get("explained", True),
        "scattered": span.get("stretches", 1) > 1 and not span.get("pieces_s"),
        "pieces": span.get("pieces_s") or [[round(begins, 3), round(ends, 3)]],
        "proof": proof(evidence[0]) if evidence else "",
        "evidence": [{"where": where(one), "text": str(one["text"])[:_QUOTE]} for one in evidence],
    }
    if depth + 1 >= _DEEPEST:
        return
    at = begins
    for child in span.get("children") or ():
        child_begins = _or(child.get("from_s"), at)
        at = child_begins + child["seconds"]
        if child["seconds"] >= _SHORTEST_SHARE * least:
            yield from _bars(child, top=top, begins=child_begins, depth=depth + 1, least=least)


def _or(value: float | None, otherwise: float) -> float:
    """Documents of older versions do not say where a span lies: one after the other, then."""
    return otherwise if value is None else value


def where(evidence: Mapping[str, Any]) -> str:
    """The artefact and its line."""
    line = evidence.get("line")
    return f"{evidence['artefact']}:{line}" if line else str(evidence["artefact"])


def proof(evidence: Mapping[str, Any]) -> str:
    """One piece of evidence as one line."""
    return f"{where(evidence)}: {evidence['text']}"[:_QUOTE]


def gains(steps: Sequence[Mapping[str, Any]], scenario: str) -> list[Row]:
    """What each step bought against the one before, with its interval."""
    return [row for step in steps for row in _gains(step, scenario)]


def _gains(step: Mapping[str, Any], scenario: str) -> Iterator[Row]:
    comparison = (step.get("against_previous") or {}).get(scenario)
    if not comparison:
        return
    off = comparison.get("not_applied")
    for metric in comparison["metrics"]:
        if not (metric.get("claimed") or metric["name"] == "total"):
            continue
        if metric.get("difference_s") is None:
            continue
        yield {
            "step": label(step),
            "number": step["number"],
            "name": step["name"],
            "what": name(metric["name"]),
            "seconds": round(metric["difference_s"], 3),
            "low": metric.get("low_s"),
            "high": metric.get("high_s"),
            "smallest": metric.get("smallest_effect_s"),
            "verdict": "not applied" if off else metric["verdict"],
            "stands": not off and metric["verdict"] not in _NO_RESULT,
        }
