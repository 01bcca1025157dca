"""The sentence that stands first says what the verdicts carry, and no more."""

from typing import Any

import pytest

from firstlight.report.experiment.headline import headline
from tests.report.documents import comparison, experiment, step, total

MINUS = "\N{MINUS SIGN}"


def of(recommended: dict[str, Any] | None, *missing: dict[str, Any], **more: Any) -> str:
    """The headline of a run with this total, or with none for these reasons."""
    totals = {"recommended": {"warm": recommended} if recommended else {}, "conditional": {}}
    document = experiment() | {"totals": totals, "no_totals": list(missing)}
    return headline(document | more, "warm")


def missing(because: str, why: str, *off: str) -> dict[str, Any]:
    return {
        "kind": "recommended",
        "scenario": "warm",
        "what": "total",
        "steps": ["kept"],
        "not_applied": list(off),
        "because": because,
        "why": why,
    }


def placebo() -> dict[str, Any]:
    """A change of one's own after the technique, that happens to be much faster."""
    return step(2, "placebo", [30.0, 31.0, 29.0, 32.0], comparison(-30.0)) | {"technique": None}


def test_the_total_comes_with_interval_verdict_and_rounds() -> None:
    told = of(total())

    assert (
        f"100.5 s with baseline, 60.50 s with kept (recommended): faster, {MINUS}40.00 s "
        f"({MINUS}42.00 s to {MINUS}38.00 s); medians of 4 and 4 warm starts, held against each "
        "other."
    ) == told


def test_no_difference_is_the_headline_where_none_was_seen() -> None:
    told = of(
        total(difference_s=-0.5, low_s=-3.0, high_s=2.0, verdict="no difference seen", to_s=100.0)
    )

    assert told.startswith("No difference seen between baseline (100.5 s) and kept (100.0 s;")
    assert told.endswith("An effect of 5.00 s would be found four times in five.")


def test_a_change_of_ones_own_is_not_the_hero() -> None:
    """Though it is the last step and the shortest."""
    steps = [*experiment()["steps"], placebo()]

    told = of(total(), steps=steps)

    assert "placebo" not in told
    assert "60.50 s with kept" in told


@pytest.mark.parametrize(
    ("because", "why"),
    [
        ("not comparable", "not comparable: they differ in engine version (0.32.0 and 0.33.0)"),
        ("too few rounds", "baseline has 3 rounds that count, and 4 are needed"),
        ("not applied", "kept was not applied"),
    ],
)
def test_where_there_is_no_total_the_reason_stands_there(because: str, why: str) -> None:
    """And no seconds."""
    assert f"No total of the recommended steps: {why}." == of(None, missing(because, why))


def test_steps_that_ran_with_others_only_are_told_one_by_one() -> None:
    told = of(None, missing("not alone", "kept ran only together with own"))

    assert told.startswith("No total of the recommended steps: kept ran only together with own.")
    assert f"Each against the step before it: kept: faster, {MINUS}40.00 s" in told


def test_a_step_that_was_not_applied_is_named_in_the_same_breath() -> None:
    told = of(total(not_applied=["streamed"]))

    assert told.endswith("streamed was not applied and is no part of it.")


def test_of_ones_own_changes_each_has_its_verdict() -> None:
    base = experiment()["steps"][0]
    off = comparison(-30.0) | {"verdict": "no difference seen"}
    own = step(1, "own", [60.0] * 4, comparison(-40.0)) | {"technique": None}
    other = step(2, "placebo", [60.0] * 4, off) | {"technique": None}

    told = of(None, steps=[base, own, other])

    assert told.startswith("baseline: 100.5 s, median of 4 warm starts. Each against the step ")
    assert f"own: faster, {MINUS}40.00 s" in told
    assert "placebo: no difference seen" in told


def test_too_few_rounds_come_first_and_no_seconds_with_them() -> None:
    document = experiment()
    for one in document["steps"]:
        rounds = one["scenarios"]["warm"]["rounds"]
        del rounds[3:]
    against = document["steps"][1]["against_previous"]["warm"]
    against["verdict"] = "too few rounds"

    told = headline(document | {"totals": {}}, "warm")

    assert told.startswith("Too few rounds to conclude anything from: 2 warm starts of a step, and")
    assert " s " not in told


def test_an_engine_that_answers_otherwise_is_in_it() -> None:
    document = experiment()
    document["steps"][1]["scenarios"]["warm"]["serving"]["otherwise"] = True

    told = headline(document, "warm")

    assert told.endswith("But at kept the engine does not answer as the baseline's does.")


def test_a_baseline_that_does_not_answer_is_in_it_and_no_step_like_it() -> None:
    document = experiment()
    served = document["steps"][0]["scenarios"]["warm"]["serving"]
    served |= {"problems": ["no first token: 500"] * 4, "answers_nothing": True}
    silent = headline(document, "warm")
    served |= {"problems": ["lost"], "answers_nothing": False, "otherwise": True}

    assert silent.endswith(
        "But the engine of baseline answers nothing itself, so no step is held against it on what "
        "it serves (a request was not answered in 4 of 4 rounds: no first token: 500)."
    )
    assert headline(document, "warm").endswith(
        "But the engine of baseline leaves requests unanswered itself (a request was not answered "
        "in 1 of 4 rounds: lost)."
    )


def test_a_baseline_alone_is_held_against_nothing() -> None:
    document = experiment()
    del document["steps"][1]

    assert "baseline: 100.5 s, median of 4 warm starts. Nothing is held against it yet." == (
        headline(document, "warm")
    )
