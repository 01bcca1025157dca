"""
What the recommended steps came to together, and the conditional ones apart from them.

A total is measured only where exactly those steps ran together. Where others stood between
them, all that can be given is a sum of gains that were seen one by one, and that is an
estimate and is called so: two changes may take the same seconds away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from firstlight.core.units import seconds
from firstlight.experiment.rounds import Round, results
from firstlight.experiment.step import Step
from firstlight.techniques.card import Status

_KINDS = {
    "recommended": frozenset({Status.RECOMMENDED}),
    "conditional": frozenset({Status.RECOMMENDED, Status.CONDITIONAL}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """For the document."""

    totals: dict[str, dict[str, Any]]
    """By kind, then by scenario."""
    estimates: list[dict[str, Any]]


def totals(
    steps: Sequence[Step],
    scenarios: Sequence[str],
    rounds: Sequence[Round],
    not_applied: Mapping[tuple[int, str], bool],
) -> Totals:
    """
    Both totals in each scenario.

    Args:
        steps: of the plan.
        scenarios: of the plan.
        rounds: all of them.
        not_applied: by step and scenario, whether its technique did not take effect.
    """
    found = Totals(totals={kind: {} for kind in _KINDS}, estimates=[])
    for kind, statuses in _KINDS.items():
        for scenario in scenarios:
            medians = {
                step.number: m
                for step in steps
                if (m := _median_ns(results(rounds, step.number, scenario))) is not None
            }
            wanted = [
                step
                for step in steps[1:]
                if step.card is not None
                and step.card.decision.status in statuses
                and not not_applied.get((step.number, scenario))
            ]
            if kind == "conditional" and not _any_conditional(wanted):
                continue
            _add(found, (kind, scenario), steps, wanted, medians)
    return found


def _add(
    found: Totals,
    where: tuple[str, str],
    steps: Sequence[Step],
    wanted: Sequence[Step],
    medians: Mapping[int, int],
) -> None:
    """The total of one kind in one scenario, or an estimate of it."""
    kind, scenario = where
    together = _together(steps, wanted, medians)
    if 0 in medians and together is not None:
        found.totals[kind][scenario] = {
            "from_s": seconds(medians[0]),
            "to_s": seconds(medians[together.number]),
            "steps": [step.name for step in wanted if step.number <= together.number],
            "measured": True,
        }
    pairs = [
        (medians[step.number - 1], medians[step.number])
        for step in wanted
        if {step.number - 1, step.number} <= medians.keys()
    ]
    apart = together is None or together.number < max(step.number for step in wanted)
    if 0 in medians and pairs and apart and len(pairs) == len(wanted):
        to_ns = medians[0] - sum(before - after for before, after in pairs)
        names = ", ".join(step.name for step in wanted)
        found.estimates.append(
            {
                "says": f"{scenario}: {names} alone were not run together; the gains of each over "
                "the step before it, added up",
                "seconds": seconds(to_ns),
                "label": "estimate",
                "kind": kind,
                "scenario": scenario,
            }
        )


def _together(
    steps: Sequence[Step], wanted: Sequence[Step], medians: Mapping[int, int]
) -> Step | None:
    """The last step at which nothing holds but wanted ones and the base; None if there is none."""
    allowed = {step.name for step in wanted} | {steps[0].name}
    return next(
        (s for s in reversed(wanted) if s.number in medians and set(s.active) <= allowed), None
    )


def _any_conditional(steps: Sequence[Step]) -> bool:
    return any(s.card and s.card.decision.status is Status.CONDITIONAL for s in steps)


def _median_ns(rounds: Sequence[Round]) -> int | None:
    lengths = [r.total_ns for r in rounds if r.total_ns is not None]
    return round(median(lengths)) if lengths else None
