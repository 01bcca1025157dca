"""What a run says, worked out of starts that were written here."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace as changed

from firstlight.core.effects import Effect, EffectState
from firstlight.core.evidence import Evidence
from firstlight.core.fingerprints import Fingerprint
from firstlight.core.starts import CacheVerdict, CompileCache, Outcome, Start, Total
from firstlight.core.timeline import Span, Stretch, Timeline
from firstlight.experiment.document import Told, document
from firstlight.experiment.ledger import Ledger, PlanEntry, RoundEntry
from firstlight.experiment.rounds import Round
from firstlight.experiment.schedule import Purpose, Slot, schedule
from firstlight.experiment.serving import Request, Served, without_token
from firstlight.experiment.step import Step
from tests.experiment.plans import CACHE, PLACEBO, STREAM, worked_out

S = 1_000_000_000
PLAN_ENTRY = PlanEntry(
    schema="firstlight.ledger/1", digest="d", name="n", substrate="process", began_ns=0
)


def start(seconds: float, at: int, engine: str = "0.32.0") -> Start:
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
        fingerprint=Fingerprint(values={"engine version": engine}),
    )


def told(
    lengths_s: list[float],
    steps: list[Any],
    *,
    rounds: int = 4,
    effects: dict[int, EffectState] | None = None,
    engine: Callable[[Slot], str] = lambda _: "0.32.0",
    served: Callable[[Slot], Served | None] = lambda _: None,
    noise_s: Callable[[Slot], float] = lambda _: 0.0,
    order: Callable[[Slot], int] = lambda _: 0,
    **fields: Any,
) -> dict[str, Any]:
    """The document of a run whose steps take so long."""
    plan, all_steps = worked_out(steps=steps, rounds=rounds, **fields)
    found = [
        round_of(
            all_steps,
            slot,
            place,
            length_s=lengths_s[slot.step] + noise_s(slot),
            state=(effects or {}).get(slot.step, EffectState.APPLIED),
            engine=engine(slot),
            served=served(slot),
        )
        for place, slot in enumerate(sorted(schedule(plan, all_steps), key=order), start=1)
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


def round_of(
    steps: tuple[Step, ...],
    slot: Slot,
    order: int,
    *,
    length_s: float,
    state: EffectState = EffectState.APPLIED,
    engine: str = "0.32.0",
    served: Served | None = None,
) -> Round:
    """One that came up; a fill takes ten times as long."""
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
        start=start(length_s, order, engine),
        explained=explained,
        effect=Effect(technique=steps[slot.step].name, state=state, says="so it says"),
        served=served,
        order=order,
    )


def verdicts(found: dict[str, Any], step: int) -> dict[str, Any]:
    against = found["steps"][step]["against_previous"]["warm"]
    return {m["name"]: m["verdict"] for m in against["metrics"] if m["claimed"]}


def test_a_fill_is_called_what_it_was_run_for() -> None:
    """A step that keeps nothing has no cache that it could fill: its container is gone."""
    found = told([40, 20], [CACHE])

    against = found["steps"][1]["against_previous"]["warm"]
    (of_base,), (of_cache,) = (against[side]["left_out"] for side in ("first", "second"))
    assert "it was run to put files in memory, which is no result" == of_base["why"]
    assert "fill" in of_cache["why"]


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


def test_a_step_that_was_not_applied_has_no_other_verdict() -> None:
    """The comparison's own stays beside it: it is of seconds, and not of the step."""
    found = told([40, 10], [STREAM], effects={1: EffectState.NOT_APPLIED})

    against = found["steps"][1]["against_previous"]["warm"]
    assert (True, "not applied", "faster") == (
        against["not_applied"],
        against["verdict_on_step"],
        against["verdict"],
    )
    assert against["verdict_words"].startswith("not applied, so nothing of this is the technique")


def says(*texts: str) -> Served:
    requests = tuple(Request(prompt="p", text=text, tokens=tuple(text)) for text in texts)
    return Served(schema="firstlight.serving/1", requests=requests)


def test_the_verdict_carries_that_the_engine_says_something_else() -> None:
    """The baseline repeats itself, and the step says another thing."""
    found = told(
        [40, 20], [PLACEBO], served=lambda slot: says("hello" if not slot.step else "hullo")
    )

    against = found["steps"][1]["against_previous"]["warm"]
    assert against["verdict_words"].endswith("it says SOMETHING ELSE than the baseline")
    otherwise = [step["scenarios"]["warm"]["serving"]["otherwise"] for step in found["steps"]]
    assert [False, True] == otherwise


def test_fewer_tokens_than_the_baseline_has_with_itself_are_something_else() -> None:
    """The baseline agrees with itself in half of them; a step in none, another in as many."""

    def answered(slot: Slot) -> Served:
        last = "hello" if slot.number % 2 else "heabc"
        return says({0: last, 1: "xyzvw", 2: last}[slot.step])

    other = {"change": "other", "process": {"environment": {"OTHER": "1"}}}
    found = told([40, 20, 20], [PLACEBO, other], served=answered)

    otherwise = [step["scenarios"]["warm"]["serving"]["otherwise"] for step in found["steps"]]
    assert [False, True, False] == otherwise


def test_an_engine_without_a_first_token_is_in_the_verdict_and_in_its_round() -> None:
    """It came up, so its seconds count; that it serves nothing stands beside them."""
    silent = without_token("answered 500: boom")
    found = told([40, 20], [PLACEBO], served=lambda s: silent if s.step else says("hello"))

    step = found["steps"][1]
    words = "a request was not answered in 4 of 4 rounds: no first token: answered 500: boom"
    assert step["against_previous"]["warm"]["verdict_words"].endswith(words)
    assert step["scenarios"]["warm"]["serving"]["otherwise"]
    problems = {one["serving"]["problem"] for one in step["scenarios"]["warm"]["rounds"]}
    assert {"no first token: answered 500: boom"} == problems


def test_the_round_nearest_to_the_median_is_named() -> None:
    """Of rounds of 10, 23, 45 and 90 s the median is 34 s: two are equally near, the shorter is."""
    lengths = {1: 90.0, 2: 10.0, 3: 45.0, 4: 23.0}
    found = told([0, 20], [PLACEBO], noise_s=lambda s: lengths[s.number] if s.number else 1.0)

    base = found["steps"][0]["scenarios"]["warm"]
    (shown,) = [one for one in base["rounds"] if one["order"] == base["shown"]]
    assert ("warm/0/4", 34) == (shown["slot"], round(base["summary"]["total"]["median_s"]))


def test_how_far_a_run_is_is_told_in_rounds_that_count() -> None:
    """Fills are none of them."""
    assert {"results": 8, "done": 8} == told([40, 20], [PLACEBO])["progress"]
