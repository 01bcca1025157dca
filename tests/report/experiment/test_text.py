"""A run in the terminal: what came of it first, and nothing that the verdicts do not carry."""

import io
from typing import Any

from rich.console import Console

from firstlight.report.experiment.text import plan_lines, print_experiment
from firstlight.report.markdown import markdown
from tests.report.documents import experiment, round_

MINUS = "\N{MINUS SIGN}"


def printed(document: dict[str, Any]) -> str:
    out = io.StringIO()
    print_experiment(Console(file=out, width=200, color_system=None), document)
    return out.getvalue()


def told(**more: Any) -> dict[str, Any]:
    return experiment() | more


def test_what_came_of_it_stands_first() -> None:
    name, first, *_ = printed(told()).splitlines()

    assert name.startswith("two steps")
    assert first.startswith("warm: 100.5 s with baseline, 60.50 s with kept (recommended): faster")


def test_each_change_has_interval_verdict_and_what_would_be_found() -> None:
    text = printed(told())

    assert (
        f"warm, total: 100.0 s -> 60.00 s, {MINUS}40.00 s ({MINUS}42.00 s to {MINUS}38.00 s): "
        "faster; an effect of 5.00 s would be found four times in five"
    ) in text
    assert f"warm, also moved: api start {MINUS}40.00 s" in text
    assert "could have shown" not in text


def test_what_a_plan_says_of_its_own_change_stands_with_it() -> None:
    """Of a technique a card speaks, and that is of the reference case."""
    document = told()
    document["steps"][1] |= {"says": "half the threads"}
    of_a_card = printed(document)
    document["steps"][1] |= {"technique": None}

    assert "half the threads" not in of_a_card
    assert "1 kept, against baseline\n  half the threads\n" in printed(document)
    assert "half the threads" not in markdown(told())
    assert "- 1 · kept: half the threads\n" in markdown(document)


def test_a_plan_says_it_too() -> None:
    step = {"number": 1, "name": "own", "technique": None, "title": "", "says": "half the threads"}
    empty: dict[str, Any] = {"change": [], "claims": [], "beforehand": []}

    assert ["1 own: half the threads"] == list(plan_lines(step | empty))
    assert ["1 own: A card"] == list(
        plan_lines(step | empty | {"technique": "c", "title": "A card"})
    )
    assert ["1 own"] == list(plan_lines(step | empty | {"says": ""}))


def test_a_step_that_was_not_applied_is_called_so_at_every_number() -> None:
    document = told()
    document["steps"][1]["against_previous"]["warm"]["not_applied"] = True

    text = printed(document)

    assert "warm: NOT APPLIED, so nothing of this is the technique's: it did" in text
    assert 2 == text.count("): not applied")
    assert "): faster;" not in text.partition("1 kept, against baseline")[2].partition("recomm")[0]


def test_a_run_that_stopped_says_so_before_anything_else() -> None:
    text = printed(
        told(
            stopped={"why": "kept failed 2 times", "slot": "warm/1/1"},
            progress={"results": 8, "done": 3},
        )
    )

    lines = text.splitlines()
    assert "STOPPED: kept failed 2 times" == lines[1]
    assert (
        "NOT AT ITS END: 3 of 8 result rounds; `firstlight experiment resume RUN` goes on"
        == (lines[2])
    )


def test_totals_carry_their_verdict_and_estimates_their_name() -> None:
    text = printed(told())

    assert (
        f"warm, recommended: kept: 100.5 s -> 60.50 s, {MINUS}40.00 s ({MINUS}42.00 s to "
        f"{MINUS}38.00 s): faster; measured together, 4 and 4 rounds"
    ) in text
    assert "warm, estimate 55.00 s (from 100.5 s), conditional: both together" in text


def test_why_there_is_no_total_is_said_where_it_would_be() -> None:
    why = {
        "kind": "recommended",
        "scenario": "warm",
        "what": "total",
        "steps": ["kept"],
        "not_applied": [],
        "because": "too few rounds",
        "why": "kept has 3 rounds that count, and 4 are needed",
    }

    text = printed(told(totals={"recommended": {}}, estimates=[], no_totals=[why]))

    assert "warm, recommended: kept: no total: kept has 3 rounds that count, and 4" in text
    assert "60.50 s" not in text.splitlines()[1]


def test_failed_tries_left_out_rounds_and_drift_are_told() -> None:
    failed = round_(1, 5, 5.0, outcome="failed", cause="no more memory", total_s=None)
    document = told()
    document["steps"][1]["scenarios"]["warm"]["rounds"].append(failed)

    text = printed(document)

    assert "failed: warm/1/5 (kept), try 1: no more memory" in text
    assert "warm, left out: it filled the compile cache: rounds/0/0, rounds/1/0" in text
    assert "Drift: looked for, none seen" in text


def test_answers_that_changed_stand_beside_the_step() -> None:
    document = told()
    document["steps"][1]["scenarios"]["warm"]["serving"] |= {"same_text": False, "otherwise": True}

    text = printed(document)

    assert "warm, serving: first token 10 ms, whole answer 50 ms; says SOMETHING ELSE" in text
    assert "But at kept the engine does not answer as the baseline's does." in text
