"""
The parts of a start that are long enough to matter beside those of hundreds of others.

One start names some five hundred parts, most of milliseconds: its own record keeps them all,
and `explain` tells them. The document of a whole run has the longer ones; the rest of each
span stands in it as one part that says how many they were, so that sums stay what they are.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_LEAST_S = 0.02
_LEAST_SHARE = 0.005
_EVIDENCE = 2
_DIGITS = 9
"""Seconds are whole nanoseconds; a sum of them is again."""


def longer_parts(
    phases: Sequence[Mapping[str, Any]], total_s: float | None, *, parts: bool
) -> list[dict[str, Any]]:
    """
    Phases of the JSON contract with their short parts put together.

    Args:
        phases: as `explain` prints them; none of them is left out.
        total_s: of the start; None where it has none.
        parts: whether their parts were asked for. Where not, nothing is said of how much of a
            phase is explained.
    """
    if not parts:
        return [{n: v for n, v in phase.items() if n != "explained"} for phase in phases]
    least_s = max(_LEAST_S, _LEAST_SHARE * (total_s or 0.0))
    return [_shortened(phase, least_s) for phase in phases]


def _shortened(span: Mapping[str, Any], least_s: float) -> dict[str, Any]:
    children: Sequence[Mapping[str, Any]] = span["children"]
    long = [child for child in children if child["seconds"] >= least_s]
    short = [child for child in children if child["seconds"] < least_s]
    kept = [_shortened(child, least_s) for child in long]
    if len(short) == 1:
        kept.append(_shortened(short[0], least_s))
    elif short:
        kept.append(_together(short))
    return {**span, "children": kept, "evidence": list(span["evidence"])[:_EVIDENCE]}


def _together(short: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "name": f"{len(short)} shorter parts",
        "seconds": round(sum(child["seconds"] for child in short), _DIGITS),
        "uncertainty_s": max(child["uncertainty_s"] for child in short),
        "explained": all(child["explained"] for child in short),
        "stretches": sum(child["stretches"] for child in short),
        "children": [],
        "evidence": [],
    }
