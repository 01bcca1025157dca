"""
Each step held against the one before it, by `compare`.

What may differ was proven to differ before anything was run, and what is claimed was fixed
then; so nothing is chosen here after the numbers are known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from firstlight.compare.comparison import Comparison, compare
from firstlight.compare.document import comparison_document, drift_document
from firstlight.compare.drift import drift
from firstlight.compare.sets import TOTAL, LeftOut, RoundSet, round_set
from firstlight.compare.sets import Round as ComparedRound
from firstlight.compare.verdict import FEWEST, Verdict
from firstlight.experiment.declared import declared
from firstlight.experiment.kept_paths import keeps_something
from firstlight.experiment.rounds import NOT_COLD, Round, of, results
from firstlight.experiment.schedule import Purpose
from firstlight.experiment.step import Step
from firstlight.experiment.turns import Turns, turns

READ = "it was run to put files in memory, which is no result"
"""Of a fill of a step that keeps nothing: what it wrote was gone with its container."""


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
    first, second = (counted(one, scenario, rounds) for one in (before, step))
    if not first.counted or not second.counted:
        return None
    found = held(first, second, changed=declared(step), claims=step.claims, may_vary=may_vary)
    return _with_remedy(found, step)


def held(
    first: RoundSet,
    second: RoundSet,
    *,
    changed: Iterable[str],
    claims: Iterable[str] = (),
    may_vary: Iterable[str] = (),
) -> dict[str, Any]:
    """
    One step's rounds against another's, and no verdict where they did not take turns.

    Args:
        first: the rounds of the earlier step.
        second: those of the later one.
        changed: names of fingerprints that may differ between the two.
        claims: the phases that are said to move.
        may_vary: names of fingerprints that may vary within a step.

    Returns:
        The document of the comparison.
    """
    took = turns(first, second)
    found = compare(
        _timeless(first), _timeless(second), declared=changed, claimed=claims, varying=may_vary
    )
    found = replace(found, drift=drift([_in_time(first), _in_time(second)]))
    if took.said is not None and took.pairs >= FEWEST and not took.are_most:
        found = _without_verdict(found, took)
    elif took.said is not None:
        found = replace(found, notes=(*found.notes, took.said))
    return {**comparison_document(found), "not_in_turn": took.said}


def _without_verdict(found: Comparison, took: Turns) -> Comparison:
    """The same numbers; nobody can say whether they are the change's or the time's."""
    why = f"{took.said}; more rounds can be added to the plan, and those take turns"
    return replace(
        found,
        comparable=replace(found.comparable, against=(why, *found.comparable.against)),
        metrics=tuple(
            replace(
                one,
                verdict=Verdict.NOT_COMPARABLE
                if one.verdict and one.verdict.is_result
                else one.verdict,
                also_moved=False,
            )
            for one in found.metrics
        ),
    )


def _timeless(side: RoundSet) -> RoundSet:
    """Without the order of its rounds: whether they took turns is judged and said here."""
    return replace(side, counted=tuple(replace(one, order=None) for one in side.counted))


def _in_time(side: RoundSet) -> list[tuple[int, int]]:
    return [(r.order, r.length_ns(TOTAL)) for r in side.counted if r.order is not None]


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
    reasons = [(r, _no_result(step, r)) for r in came_up]
    found = round_set(step.name, [_compared(r) for r, why in reasons if not why])
    others = [LeftOut(round=_compared(r), why=why) for r, why in reasons if why]
    return replace(found, left_out=(*found.left_out, *others))


def _no_result(step: Step, one: Round) -> str:
    """Why a round was none from the beginning; empty where it was to be one."""
    if one.slot.purpose is Purpose.FILL and not keeps_something(step):
        return READ
    return NOT_COLD if one.not_cold else ""


def _compared(one: Round) -> ComparedRound:
    return ComparedRound(
        name=one.entry.folder,
        start=one.start,
        fill=one.slot.purpose is Purpose.FILL,
        order=one.order,
    )
