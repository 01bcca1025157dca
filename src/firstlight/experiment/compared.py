"""
Each step held against the one before it, by `compare`.

What may differ was proven to differ before anything was run, and what is claimed was fixed
then; so nothing is chosen here after the numbers are known.
"""

from collections.abc import Sequence
from typing import Any

from firstlight.compare.comparison import compare
from firstlight.compare.document import comparison_document
from firstlight.compare.sets import Round as ComparedRound
from firstlight.compare.sets import RoundSet, round_set
from firstlight.compare.statistics import drift
from firstlight.experiment.declared import declared
from firstlight.experiment.rounds import Round, of, results
from firstlight.experiment.schedule import Purpose
from firstlight.experiment.step import Step


def compared(
    before: Step, step: Step, scenario: str, rounds: Sequence[Round]
) -> dict[str, Any] | None:
    """
    A step against the one before it.

    Args:
        before: the step before.
        step: the step.
        scenario: in which.
        rounds: all tries of all rounds.

    Returns:
        The document of the comparison, and the verdict in words; None where one of the two has
        no result yet.
    """
    sides = [_set(one, scenario, rounds) for one in (before, step)]
    if not all(side.counted for side in sides):
        return None
    document = comparison_document(compare(*sides, declared=declared(step), claimed=step.claims))
    return {**document, "verdict_words": _words(document)}


def run_drift(
    steps: Sequence[Step], scenarios: Sequence[str], rounds: Sequence[Round]
) -> dict[str, Any] | None:
    """Whether all rounds grew longer or shorter over the run; None with too few to say."""
    found = drift(
        [
            [(r.order, r.total_ns or 0) for r in results(rounds, step.number, scenario)]
            for step in steps
            for scenario in scenarios
        ]
    )
    if found is None:
        return None
    return {
        "correlation": round(found.correlation, 4),
        "p": round(found.p, 6),
        "rounds": found.rounds,
        "seen": found.is_seen,
    }


def _set(step: Step, scenario: str, rounds: Sequence[Round]) -> RoundSet:
    # Tries that failed are listed with the rounds; here they are nobody's length.
    came_up = [r for r in of(rounds, step.number, scenario) if r.entry.is_ready]
    return round_set(
        step.name,
        [
            ComparedRound(
                name=r.entry.folder,
                start=r.start,
                fill=r.slot.purpose is Purpose.FILL,
                order=r.order,
            )
            for r in came_up
        ],
    )


def _words(document: dict[str, Any]) -> str:
    """The verdicts on what was fixed beforehand, in a sentence."""
    if document["against"]:
        return f"not comparable: {'; '.join(document['against'])}"
    told = [_metric(metric) for metric in document["metrics"] if metric["claimed"]]
    return "; ".join(told)


def _metric(metric: dict[str, Any]) -> str:
    words = f"{metric['name']} {metric['verdict']}"
    if metric["low_s"] is None:
        return words
    return (
        f"{words} ({metric['difference_s']:+.2f} s, {metric['low_s']:+.2f} to "
        f"{metric['high_s']:+.2f} s)"
    )
