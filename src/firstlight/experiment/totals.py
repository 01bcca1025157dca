"""
What the recommended steps came to together, and the conditional ones apart from them.

A total is measured only where exactly those steps ran together, and it is a comparison like any
other: the base's rounds against those of the last such step, with all their changes declared.
Where these may not be compared, or are too few, there is no total but the reason. Where other
steps stood between them, all that can be given is a sum of gains that were seen one by one
(`added_up`), and that is called an estimate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firstlight.compare.sets import TOTAL, RoundSet
from firstlight.compare.verdict import FEWEST, Verdict
from firstlight.experiment.added_up import Gain, added_up
from firstlight.experiment.compared import held
from firstlight.experiment.declared import declared
from firstlight.experiment.step import Step
from firstlight.techniques.card import Status

NOT_ALONE = "not alone"
"""They ran together with others only."""
NO_VERDICT = "no verdict"
"""One of those that would be added up has none."""
_KINDS = {
    "recommended": frozenset({Status.RECOMMENDED}),
    "conditional": frozenset({Status.RECOMMENDED, Status.CONDITIONAL}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a run showed of its steps in one scenario."""

    scenario: str
    sets: Mapping[int, RoundSet]
    """Rounds by the number of their step."""
    against: Mapping[int, Mapping[str, Any]]
    """The document of the comparison with the step before, by the number of the step."""
    off: frozenset[int]
    """Steps whose technique did not take effect."""
    may_vary: Sequence[str] = ()

    def has(self, step: Step) -> bool:
        """Whether a round of it counts."""
        side = self.sets.get(step.number)
        return side is not None and bool(side.counted)


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no total."""

    because: str
    """`not applied`, `not alone`, or a verdict."""
    why: str

    @property
    def told(self) -> dict[str, str]:
        return {"because": str(self.because), "why": self.why}


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """For the document."""

    totals: dict[str, dict[str, Any]]
    """By kind, then by scenario."""
    estimates: list[dict[str, Any]] = field(default_factory=list)
    without: list[dict[str, Any]] = field(default_factory=list)
    """Why there is no total, or no estimate, of each kind and scenario that has steps and none."""


def totals(steps: Sequence[Step], seen: Sequence[Seen]) -> Totals:
    """
    Both totals in each scenario.

    Args:
        steps: of the plan.
        seen: each scenario.
    """
    found = Totals(totals={kind: {} for kind in _KINDS})
    for kind in _KINDS:
        for one in seen:
            _add(found, kind, steps, one)
    return found


def _add(found: Totals, kind: str, steps: Sequence[Step], seen: Seen) -> None:
    """The total of one kind in one scenario, or why there is none, and an estimate."""
    asked = [step for step in steps[1:] if step.card and step.card.decision.status in _KINDS[kind]]
    if kind == "conditional" and not _any_conditional(asked):
        return
    if not seen.has(steps[0]) or not any(seen.has(step) for step in asked):
        return
    wanted = [step for step in asked if step.number not in seen.off]
    told = {
        "kind": kind,
        "scenario": seen.scenario,
        "steps": [step.name for step in wanted],
        "not_applied": [step.name for step in asked if step.number in seen.off],
    }
    together = _together(steps, wanted, seen)
    total = _total(steps, wanted, together, seen, off=told["not_applied"])
    if isinstance(total, Missing):
        found.without.append({**told, "what": "total", **total.told})
    elif total is not None:
        found.totals[kind][seen.scenario] = {**total, "not_applied": told["not_applied"]}
    if len(wanted) > 1 and any(together is None or s.number > together.number for s in wanted):
        estimate, why = added_up(steps[0], seen.sets[0], _gains(asked, seen))
        if estimate:
            found.estimates.append({"kind": kind, "scenario": seen.scenario, **estimate})
        elif why:
            found.without.append({**told, "what": "estimate", "because": NO_VERDICT, "why": why})


def _total(
    steps: Sequence[Step],
    wanted: Sequence[Step],
    together: Step | None,
    seen: Seen,
    *,
    off: Sequence[str],
) -> dict[str, Any] | Missing | None:
    """What these came to; None where there is nothing to say of it yet."""
    if not wanted:
        return Missing(
            Verdict.NOT_APPLIED, f"{_and(off)} {'was' if len(off) == 1 else 'were'} not applied"
        )
    names = [step.name for step in wanted]
    if together is None:
        others = sorted({n for s in wanted for n in s.active} - {*names, steps[0].name})
        return Missing(NOT_ALONE, f"{_and(names)} ran only together with {_and(others)}")
    total = _held(steps, together, seen)
    if isinstance(total, Missing):
        return total
    return {
        "from_s": total["first"]["median_s"],
        "to_s": total["second"]["median_s"],
        "steps": [name for name in names if name in together.active],
        "measured": True,
        "last": together.name,
        "n": [total["first"]["n"], total["second"]["n"]],
        **{name: total[name] for name in _TOLD},
    }


_TOLD = ("difference_s", "low_s", "high_s", "p", "smallest_effect_s", "verdict", "not_in_turn")


def _held(steps: Sequence[Step], last: Step, seen: Seen) -> dict[str, Any] | Missing:
    """The base against the last of them; the reason where that says nothing."""
    first, second = seen.sets[0], seen.sets[last.number]
    for side in (first, second):
        if len(side.counted) < FEWEST:
            n = len(side.counted)
            rounds = f"{n} round{'' if n == 1 else 's'}"
            return Missing(
                Verdict.TOO_FEW, f"{side.name} has {rounds} that count, and {FEWEST} are needed"
            )
    changed = [name for step in steps[1 : last.number + 1] for name in declared(step)]
    found = held(first, second, changed=changed, may_vary=seen.may_vary)
    if found["against"]:
        why = f"not comparable: {'; '.join(found['against'])}"
        return Missing(Verdict.NOT_COMPARABLE, why)
    total: dict[str, Any] = next(one for one in found["metrics"] if one["name"] == TOTAL)
    return {**total, "not_in_turn": found["not_in_turn"]}


def _gains(asked: Sequence[Step], seen: Seen) -> list[Gain]:
    return [
        Gain(
            step=step.name,
            against=seen.against.get(step.number),
            applied=step.number not in seen.off,
        )
        for step in asked
    ]


def _together(steps: Sequence[Step], wanted: Sequence[Step], seen: Seen) -> Step | None:
    """The last step at which nothing holds but wanted ones and the base; None if there is none."""
    allowed = {step.name for step in wanted} | {steps[0].name}
    return next((s for s in reversed(wanted) if seen.has(s) and set(s.active) <= allowed), None)


def _any_conditional(steps: Sequence[Step]) -> bool:
    return any(s.card and s.card.decision.status is Status.CONDITIONAL for s in steps)


def _and(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
