"""
The JSON of a run, schema `firstlight.experiment/1`: what reports and pages are made of.

Every number in it is worked out anew from the artefacts in the run's folder, so it is the
same whenever it is made. Fields may be added, never renamed; seconds are numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.compare.effects import OFF
from firstlight.compare.statistics import METHODS, outliers
from firstlight.core.scenarios import COLD
from firstlight.core.units import seconds
from firstlight.experiment.answering import answering
from firstlight.experiment.compared import compared, counted, run_drift
from firstlight.experiment.concluded import concluded
from firstlight.experiment.contract import SCHEMA
from firstlight.experiment.fixed_request import fixed_request
from firstlight.experiment.ledger import Ledger
from firstlight.experiment.longer_parts import longer_parts
from firstlight.experiment.middle import middle
from firstlight.experiment.plan import Plan
from firstlight.experiment.rounds import NOT_COLD, Round, of, results
from firstlight.experiment.schedule import Purpose, schedule
from firstlight.experiment.serving import Reference, reference
from firstlight.experiment.serving import told as told_served
from firstlight.experiment.step import Step
from firstlight.experiment.summary import effects, summary
from firstlight.experiment.totals import Seen, totals
from firstlight.experiment.wording import limits, method


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A run, read back."""

    plan: Plan
    plan_text: str
    steps: Sequence[Step]
    ledger: Ledger
    rounds: Sequence[Round]
    """Every try of every round, in order of time."""
    poll_s: float
    notes: Sequence[str] = ()


def document(told: Told) -> dict[str, Any]:
    """The whole document."""
    entry, plan, meant = told.ledger.plan, told.plan, told.ledger.meant
    stopped = told.ledger.stopped
    ended_ns = max((r.entry.ended_ns for r in told.rounds), default=None)
    worked_out = [_step(told, step) for step in told.steps]
    summed = totals(told.steps, [_seen(told, s, worked_out) for s in plan.scenarios])
    return {
        "schema": SCHEMA,
        "name": meant.name,
        "plan": told.plan_text,
        "plan_digest": meant.digest,
        "substrate": entry.substrate,
        "environment": _shared(told.rounds),
        "began": entry.began_ns,
        "ended": ended_ns,
        "probe_poll_s": told.poll_s,
        "scenarios": list(plan.scenarios),
        "rounds_planned": plan.rounds,
        "progress": _progress(told),
        "method": [*method(plan, told.steps, told.poll_s), *METHODS],
        "limits": limits(plan, told.rounds, _page_cache(told.rounds)),
        "drift": run_drift(told.steps, plan.scenarios, told.rounds),
        "notes": [*told.notes, *_not_cold(told), *_as_before(told)],
        "steps": worked_out,
        "totals": summed.totals,
        "estimates": summed.estimates,
        "no_totals": summed.without,
        "stopped": {"why": stopped.why, "slot": stopped.slot} if stopped else None,
    }


def _not_cold(told: Told) -> Iterator[str]:
    for step in told.steps:
        to_be = [r for r in of(told.rounds, step.number, COLD) if r.entry.is_ready]
        if warm := [r for r in to_be if r.not_cold]:
            yield (
                f"{step.name}, cold: {len(warm)} of {len(to_be)} rounds are no result and left "
                f"out, {NOT_COLD}"
            )


def _as_before(told: Told) -> Iterator[str]:
    if aside := told.ledger.aside:
        yield (
            f"the plan was changed after it was begun, and {len(aside)} tries from before that "
            f"count no more: {', '.join(entry.folder for entry in aside)}"
        )


def _progress(told: Told) -> dict[str, int]:
    """How many result rounds there will be, and how many of them came up."""
    wanted = {slot.id for slot in schedule(told.plan, told.steps) if slot.purpose is Purpose.RESULT}
    done = {entry.slot for entry in told.ledger.rounds if entry.is_ready}
    return {"results": len(wanted), "done": len(wanted & done)}


def _seen(told: Told, scenario: str, worked_out: Sequence[dict[str, Any]]) -> Seen:
    return Seen(
        scenario=scenario,
        sets={step.number: counted(step, scenario, told.rounds) for step in told.steps},
        against={
            one["number"]: one["against_previous"][scenario]
            for one in worked_out
            if scenario in one["against_previous"]
        },
        off=frozenset(s.number for s in told.steps if _is_off(told, s, scenario)),
        may_vary=told.plan.may_vary,
    )


def _step(told: Told, step: Step) -> dict[str, Any]:
    scenarios = {s: _scenario(told, step, s) for s in told.plan.scenarios}
    against = {
        scenario: concluded(
            found, off=_is_off(told, step, scenario), serving=scenarios[scenario]["serving"]
        )
        for scenario in scenarios
        if (found := _against(told, step, scenario)) is not None
    }
    return {
        "number": step.number,
        "name": step.name,
        "technique": step.technique,
        "title": step.card.title if step.card else step.says or step.name,
        "says": step.says,
        **_decision(step),
        "change": [one.line for one in step.difference],
        "claims": list(step.claims),
        "beforehand": list(step.beforehand),
        "scenarios": scenarios,
        "against_previous": against,
    }


def _decision(step: Step) -> dict[str, Any]:
    decided = step.card.decision if step.card else None
    status = decided.status.value if decided else "own"
    return {
        "status": status if step.number else "baseline",
        "reason": decided.reason if decided else None,
        "look_again": decided.look_again.says if decided else None,
    }


def _scenario(told: Told, step: Step, scenario: str) -> dict[str, Any]:
    tries = of(told.rounds, step.number, scenario)
    result = results(told.rounds, step.number, scenario)
    flagged = outliers([r.total_ns or 0 for r in result])
    outlying = {r.order for r, is_one in zip(result, flagged, strict=True) if is_one}
    baseline = [r.served for r in results(told.rounds, 0, scenario)]
    held = reference([one for one in baseline if one is not None])
    shown = middle(result)
    return {
        "rounds": [_round(r, held, outlying) for r in tries],
        "shown": shown.order if shown else None,
        "summary": summary(result, step.claims),
        "effect": effects(result),
        "serving": answering([r.served for r in result], baseline),
        "fixed_request": fixed_request([r.woken for r in result]),
    }


def _round(one: Round, held: Reference | None, outlying: set[int]) -> dict[str, Any]:
    explained, total = one.explained, one.start.total
    return {
        "slot": one.slot.id,
        "number": one.slot.number,
        "order": one.order,
        "purpose": one.slot.purpose.value,
        "attempt": one.entry.attempt,
        "folder": one.entry.folder,
        "begun": one.entry.begun_ns,
        "outcome": one.entry.outcome,
        "cause": one.entry.cause,
        "total_s": seconds(total.timeline.length_ns) if total else None,
        "uncertainty_s": seconds(total.uncertainty_ns) if total else None,
        "first_token_s": explained["first_token_s"],
        "phases": longer_parts(explained["phases"], explained["total_s"], parts=one.parts),
        "parts_told": one.parts,
        "facts": explained["facts"],
        "transfers": explained["transfers"],
        "cache_verdict": explained["compile_cache"]["verdict"],
        "cache_reason": explained["compile_cache"]["reason"],
        "effect": {
            "state": one.effect.state.value,
            "says": one.effect.says,
            "evidence": [
                {"artefact": e.artefact, "line": e.line, "text": e.text}
                for e in one.effect.evidence
            ],
        },
        "serving": told_served(one.served, held) if one.served else None,
        "counts": one.counts,
        "left_out": NOT_COLD if one.not_cold else None,
        "outlier": one.order in outlying,
    }


def _against(told: Told, step: Step, scenario: str) -> dict[str, Any] | None:
    if not step.number:
        return None
    before = told.steps[step.number - 1]
    return compared(before, step, scenario, told.rounds, may_vary=told.plan.may_vary)


def _is_off(told: Told, step: Step, scenario: str) -> bool:
    """Whether the technique of a step did not take effect in a round that counts."""
    result = results(told.rounds, step.number, scenario)
    return step.card is not None and any(r.effect.state in OFF for r in result)


def _shared(rounds: Sequence[Round]) -> dict[str, str]:
    """What all rounds that came up have in common."""
    all_values = [r.start.fingerprint.values for r in rounds if r.entry.is_ready]
    if not all_values:
        return {}
    first, *others = all_values
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }


def _page_cache(rounds: Sequence[Round]) -> list[str]:
    """What was said of it, wherever it was."""
    told = (r.start.fingerprint.values.get("page cache") for r in rounds)
    return [said for said in told if said is not None]
