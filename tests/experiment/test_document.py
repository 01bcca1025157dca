"""What a run says, worked out of starts that were written here."""

from typing import Any

from msgspec.structs import replace as changed

from firstlight.core.effects import Effect, EffectState
from firstlight.core.evidence import Evidence
from firstlight.core.starts import CacheVerdict, CompileCache, Outcome, Start, Total
from firstlight.core.timeline import Span, Stretch, Timeline
from firstlight.experiment.document import Told, document
from firstlight.experiment.ledger import Ledger, PlanEntry, RoundEntry
from firstlight.experiment.rounds import Round
from firstlight.experiment.schedule import Purpose, Slot, schedule
from firstlight.experiment.steps import Step
from tests.experiment.plans import CACHE, PLACEBO, STREAM, worked_out

S = 1_000_000_000
PLAN_ENTRY = PlanEntry(
    schema="firstlight.ledger/1", digest="d", name="n", substrate="process", began_ns=0
)


def start(seconds: float, at: int) -> Start:
    """One whose weights take a tenth of it, and whose noise is its place in the run."""
    begins, length = at * 1000 * S, round(seconds * S) + at * 1_000_000
    parts = (("process_init", length // 10), ("engine_init", length - length // 10))
    spans: list[Span] = []
    for name, part in parts:
        stretch = Stretch(start_ns=begins, end_ns=begins + part)
        begins += part
        spans.append(
            Span(name=name, stretches=(stretch,), evidence=(Evidence(artefact="log", text="x"),))
        )
    timeline = Timeline(start_ns=at * 1000 * S, end_ns=begins, spans=tuple(spans))
    total = Total(timeline=timeline, uncertainty_ns=1000, starts_at="a", ends_at="b")
    return Start(
        source=f"round-{at}",
        engine="vllm",
        engine_version="0.32.0",
        outcome=Outcome.READY,
        failure=None,
        scenario=None,
        total=total,
        phases=timeline.spans,
        facts={},
        sleeps=(),
        compile_cache=CompileCache(verdict=CacheVerdict.UNKNOWN, reason="", proof="none"),
    )


def told(
    lengths_s: list[float],
    steps: list[Any],
    *,
    rounds: int = 4,
    effects: dict[int, EffectState] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """The document of a run whose steps take so long."""
    plan, all_steps = worked_out(steps=steps, rounds=rounds, **fields)
    found = [
        _round(
            all_steps,
            slot,
            order,
            lengths_s[slot.step],
            (effects or {}).get(slot.step, EffectState.APPLIED),
        )
        for order, slot in enumerate(schedule(plan, all_steps), start=1)
    ]
    ledger = Ledger(plan=PLAN_ENTRY, entries=tuple(r.entry for r in found))
    return document(
        Told(
            plan=plan,
            plan_text="",
            steps=all_steps,
            ledger=ledger,
            rounds=found,
            poll_s=0.05,
        )
    )


def _round(
    steps: tuple[Step, ...], slot: Slot, order: int, length_s: float, state: EffectState
) -> Round:
    length_s *= 10 if slot.purpose is Purpose.FILL else 1
    entry = RoundEntry(
        slot=slot.id, attempt=1, folder=f"f{order}", outcome="ready", begun_ns=order, ended_ns=order
    )
    explained: dict[str, Any] = {
        "total_s": length_s,
        "first_token_s": None,
        "phases": [],
        "facts": {},
        "transfers": [],
        "compile_cache": {"verdict": "unknown", "reason": ""},
    }
    return Round(
        slot=slot,
        entry=entry,
        start=start(length_s, order),
        explained=explained,
        effect=Effect(technique=steps[slot.step].name, state=state, says="so it says"),
        served=None,
        order=order,
    )


def verdicts(found: dict[str, Any], step: int) -> dict[str, Any]:
    against = found["steps"][step]["against_previous"]["warm"]
    return {m["name"]: m["verdict"] for m in against["metrics"] if m["claimed"]}


def test_a_step_that_takes_less_is_faster_and_a_placebo_is_not() -> None:
    """Fills are ten times as long here, and nobody counts them."""
    found = told([40, 40, 20, 20], [STREAM, CACHE, PLACEBO])

    assert {"total": "faster", "engine_init": "faster"} == verdicts(found, 2)
    assert {"total": "no difference seen"} == verdicts(found, 3)
    assert 20 < found["steps"][2]["scenarios"]["warm"]["summary"]["total"]["highest_s"] < 21
    assert "total faster" in found["steps"][2]["against_previous"]["warm"]["verdict_words"]


def test_three_rounds_are_too_few() -> None:
    """However far apart they are; and that is said as a limit."""
    found = told([40, 10], [STREAM], rounds=3)

    assert {"total": "too few rounds", "weight_load": "too few rounds"} == verdicts(found, 1)
    assert any("too few to conclude" in limit for limit in found["limits"])


def test_recommended_steps_that_ran_together_have_a_total() -> None:
    """It is measured; there is no estimate beside it."""
    found = told([40, 30, 20, 25], [STREAM, CACHE, PLACEBO])

    total = found["totals"]["recommended"]["warm"]
    assert ["stream-weights", "compile-cache-local"] == total["steps"]
    assert (True, 40, 20) == (total["measured"], round(total["from_s"]), round(total["to_s"]))
    assert ([], {}) == (found["estimates"], found["totals"]["conditional"])


def test_gains_of_steps_that_did_not_run_together_are_an_estimate() -> None:
    """A conditional step stands between the two: what it took away is in no sum of the others."""
    sizes = {"technique": "capture-sizes"}
    given = {
        "model_uri": "s3://bucket/m",
        "model_mount": "/mnt/m",
        "cache_dir": "${node}/cache",
        "max_capture_size": "8",
    }
    found = told([100, 80, 70, 40], [STREAM, sizes, CACHE], given=given)

    recommended = found["totals"]["recommended"]["warm"]
    assert (["stream-weights"], 80) == (recommended["steps"], round(recommended["to_s"]))
    conditional = found["totals"]["conditional"]["warm"]
    assert (3, 40) == (len(conditional["steps"]), round(conditional["to_s"]))
    (estimate,) = found["estimates"]
    assert ("estimate", 50) == (estimate["label"], round(estimate["seconds"]))


def test_a_step_that_was_not_applied_is_in_no_total() -> None:
    """Its seconds are somebody else's."""
    found = told([40, 30, 10], [STREAM, CACHE], effects={2: EffectState.NOT_APPLIED})

    assert found["steps"][2]["against_previous"]["warm"]["not_applied"] is True
    assert ["stream-weights"] == found["totals"]["recommended"]["warm"]["steps"]


def test_a_step_without_a_round_is_compared_with_nothing() -> None:
    """Of a run that is not at its end."""
    plan, steps = worked_out(steps=[STREAM])
    found = document(
        Told(
            plan=changed(plan, rounds=1),
            plan_text="",
            steps=steps,
            ledger=Ledger(plan=PLAN_ENTRY),
            rounds=[],
            poll_s=0.05,
        )
    )

    assert {} == found["steps"][1]["against_previous"]
    assert (None, 0) == (
        found["steps"][0]["scenarios"]["warm"]["summary"]["total"],
        found["steps"][0]["scenarios"]["warm"]["summary"]["n"],
    )


def test_a_card_says_what_was_decided_about_it() -> None:
    """And the base is the baseline, whatever its card's decision."""
    found = told([4, 3, 2], [STREAM, PLACEBO])

    assert ["baseline", "recommended", "own"] == [step["status"] for step in found["steps"]]
    assert found["steps"][1]["look_again"]
