"""
Each step held against the one before it, by `compare`.

What may differ was proven to differ before anything was run, and what is claimed was fixed
then; so nothing is chosen here after the numbers are known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from firstlight.compare.comparison import compare
from firstlight.compare.document import comparison_document, drift_document
from firstlight.compare.drift import drift
from firstlight.compare.sets import LeftOut, RoundSet, round_set
from firstlight.compare.sets import Round as ComparedRound
from firstlight.experiment.declared import declared
from firstlight.experiment.rounds import NOT_COLD, Round, of, results
from firstlight.experiment.schedule import Purpose
from firstlight.experiment.step import Step


def compared(
    before: Step,
    step: Step,
    scenario: str,
    rounds: Sequence[Round],
    *,
    may_vary: Sequence[str] = (),
) -> dict[str, Any] | None:
    """
    A step against the one before it.

    Args:
        before: the step before.
        step: the step.
        scenario: in which.
        rounds: all tries of all rounds.
        may_vary: names of fingerprints that may vary within a step.

    Returns:
        The document of the comparison; None where one of the two has no result yet.
    """
    sides = [counted(one, scenario, rounds) for one in (before, step)]
    if not all(side.counted for side in sides):
        return None
    found = compare(*sides, declared=declared(step), claimed=step.claims, varying=may_vary)
    document = _with_remedy(comparison_document(found), step)
    return {**document, "notes": [*document["notes"], *_not_in_turn(*sides)]}


def _not_in_turn(before: RoundSet, after: RoundSet) -> Iterator[str]:
    """That two steps were not run side by side, as after a step was added or mended."""
    one, two = ([r.order or 0 for r in side.counted] for side in (before, after))
    if min(len(one), len(two)) > 1 and (max(one) < min(two) or max(two) < min(one)):
        yield (
            f"{before.name} and {after.name} did not take turns: whatever else changed between "
            "their rounds is in the difference"
        )


def _with_remedy(document: dict[str, Any], step: Step) -> dict[str, Any]:
    """The document; where something differs that a step did not say, with where to say it."""
    names = [one["name"] for one in document["undeclared"]]
    if not names:
        return document
    remedy = (
        f"if {step.name} is what moves that, its step says so in the plan: "
        f"changes: [{', '.join(names)}]"
    )
    *others, last = document["against"]
    return {**document, "against": [*others, f"{last}; {remedy}"]}


def run_drift(
    steps: Sequence[Step], scenarios: Sequence[str], rounds: Sequence[Round]
) -> dict[str, Any] | None:
    """Whether all rounds grew longer or shorter over the run; None with too few to say."""
    return drift_document(
        drift(
            [
                [(r.order, r.total_ns or 0) for r in results(rounds, step.number, scenario)]
                for step in steps
                for scenario in scenarios
            ]
        )
    )


def counted(step: Step, scenario: str, rounds: Sequence[Round]) -> RoundSet:
    """A step's rounds, sorted into those that count and those that do not."""
    # Tries that failed are listed with the rounds; here they are nobody's length.
    came_up = [r for r in of(rounds, step.number, scenario) if r.entry.is_ready]
    found = round_set(step.name, [_compared(r) for r in came_up if not r.not_cold])
    others = [LeftOut(round=_compared(r), why=NOT_COLD) for r in came_up if r.not_cold]
    return replace(found, left_out=(*found.left_out, *others))


def _compared(one: Round) -> ComparedRound:
    return ComparedRound(
        name=one.entry.folder,
        start=one.start,
        fill=one.slot.purpose is Purpose.FILL,
        order=one.order,
    )
