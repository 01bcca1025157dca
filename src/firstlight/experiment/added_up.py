"""
Gains of steps that did not run together, added up.

It is an estimate and is called so: two changes may take the same seconds away. So only what was
seen is added: a step in which no difference was seen, or whose technique was not applied, counts
nothing and is named with the reason. Where one of them has no verdict at all there is no sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.compare.comparability import comparable
from firstlight.compare.sets import TOTAL, RoundSet
from firstlight.compare.verdict import FEWEST, Verdict
from firstlight.core.intervals import spread
from firstlight.core.units import seconds
from firstlight.experiment.step import Step

_COUNTS = (Verdict.FASTER, Verdict.SLOWER)
_NOBODY = RoundSet(name="", counted=())
"""The base is held against nobody to hear whether its own rounds are of one kind."""
_DIGITS = 9
"""Seconds are whole nanoseconds; a sum of them is again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What one step changed over the step before it."""

    step: str
    against: Mapping[str, Any] | None
    """The comparison's document; None where there is none yet."""
    applied: bool


def added_up(
    base: Step, rounds: RoundSet, gains: Sequence[Gain]
) -> tuple[dict[str, Any] | None, str]:
    """
    The base less what each took away, or why there is no such sum.

    Args:
        base: the first step.
        rounds: those of the base.
        gains: of the steps that did not run together, in their order.

    Returns:
        The estimate and nothing, or None and a reason; an empty one where rounds are still to
        come, or where nothing would be added.
    """
    parts = []
    for gain in gains:
        part, why = _part(gain)
        if part is None:
            return None, why
        parts.append(part)
    if len(rounds.counted) < FEWEST:
        return None, f"{base.name} has fewer than {FEWEST} rounds that count"
    if against := comparable(rounds, _NOBODY, declared=()).against:
        return None, f"not comparable: {against[0]}"
    if not any(part["seconds"] for part in parts):
        return None, ""
    begins_s = seconds(spread(rounds.lengths_ns(TOTAL)).median_ns)
    return {
        "label": "estimate",
        "from_s": begins_s,
        "seconds": round(begins_s + sum(part["seconds"] for part in parts), _DIGITS),
        "parts": parts,
        "says": "these were not run together, so what each changed over the step before it is "
        f"added up, without an interval: {', '.join(map(_said, parts))}",
    }, ""


def _part(gain: Gain) -> tuple[dict[str, Any] | None, str]:
    if not gain.applied:
        return {"step": gain.step, "seconds": 0.0, "verdict": "not applied"}, ""
    if gain.against is None:
        return None, ""
    if gain.against["against"]:
        return None, f"{gain.step} is not comparable with the step before it"
    total = next(one for one in gain.against["metrics"] if one["name"] == TOTAL)
    if total["verdict"] == Verdict.TOO_FEW:
        return None, f"{gain.step} has too few rounds"
    counted = total["difference_s"] if total["verdict"] in _COUNTS else 0.0
    return {"step": gain.step, "seconds": counted, "verdict": total["verdict"]}, ""


def _said(part: Mapping[str, Any]) -> str:
    changed = part["seconds"]
    if not changed:
        return f"{part['step']} counts nothing ({part['verdict']})"
    return f"{part['step']} {abs(changed):.2f} s {'less' if changed < 0 else 'more'}"
