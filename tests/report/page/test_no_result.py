"""What is no result does not look like one, and the page says how far its run is."""

import csv
import io
import json
import re
from typing import Any

import pytest

from firstlight.report.experiment import rows, run_state, words
from firstlight.report.markdown import markdown
from firstlight.report.page import charts
from firstlight.report.page.html import page
from firstlight.report.rounds_csv import rounds_csv
from tests.report.documents import comparison, experiment, round_, step

pytestmark = pytest.mark.timeout(20)


def without_intervals(verdict: str) -> dict[str, Any]:
    """As it is with too few rounds."""
    told = comparison(-40.0)
    for metric in told["metrics"]:
        metric.update(verdict=verdict, low_s=None, high_s=None, smallest_effect_s=None)
    return told


def kept(against: dict[str, Any]) -> dict[str, Any]:
    return step(1, "kept", [60.0, 61.0, 59.0, 62.0], against)


def test_a_step_that_was_not_applied_bought_nothing() -> None:
    """However much moved: its points are hollow, and why stands beside them."""
    one = kept(comparison(-40.0) | {"not_applied": True})

    found = rows.gains([one], "warm")

    assert [(False, "not applied")] * 2 == [(row["stands"], row["verdict"]) for row in found]
    assert "not applied" in words.verdict(one["against_previous"]["warm"])
    drawn = json.dumps(charts.gains(found))
    assert '"not applied"' in drawn
    assert '"text"' in drawn


def test_a_result_is_drawn_without_a_reason() -> None:
    found = rows.gains([kept(comparison(-40.0))], "warm")

    assert {True} == {row["stands"] for row in found}
    assert '"text"' not in json.dumps(charts.gains(found))


@pytest.mark.parametrize("verdict", ["too few rounds", "not comparable"])
def test_a_change_without_an_interval_has_no_empty_layer(verdict: str) -> None:
    """Vega complains of a layer in which every number is unknown."""
    found = rows.gains([kept(without_intervals(verdict))], "warm")

    layers = charts.gains(found)["layer"]

    assert {False} == {row["stands"] for row in found}
    assert ["point", "rule", "text"] == sorted(one["mark"]["type"] for one in layers)


def test_why_a_step_has_no_verdict_is_said() -> None:
    """The first one, one that failed, one after a step that failed, one that was not run."""
    failed = round_(1, 1, 5.0, outcome="failed", cause="no more memory", total_s=None)
    unmeasured = step(1, "kept", [60.0] * 4, None)
    unmeasured["scenarios"]["warm"]["rounds"] = [failed]
    unrun = step(2, "later", [60.0] * 4, None)
    unrun["scenarios"]["warm"]["rounds"] = []

    assert "the first step" == words.no_verdict(experiment()["steps"][0], "warm")
    assert "no result: no more memory" == words.no_verdict(unmeasured, "warm")
    assert "not run yet" == words.no_verdict(unrun, "warm")
    assert "the step before has no result" == words.no_verdict(kept(comparison(-1.0)), "warm")


def test_a_run_that_is_not_at_its_end_says_how_far_it_is() -> None:
    """And how it goes on: first thing on the page, in Markdown and in the terminal."""
    document = experiment() | {"progress": {"results": 12, "done": 5}}

    told = run_state.unfinished(document)

    assert "5 of 12 result rounds; `firstlight experiment resume RUN` goes on" == told
    assert told in page(document)
    assert "5 of 12 result rounds" in markdown(document).partition("## ")[0]
    assert "" == run_state.unfinished(experiment())


def test_a_plan_that_stopped_says_why() -> None:
    """Also where somebody reads only the table."""
    stopped = {"why": "kept failed 2 times", "slot": "warm/1/1"}
    document = experiment() | {"progress": {"results": 12, "done": 5}, "stopped": stopped}

    made = page(document)

    assert "kept failed 2 times. 5 of 12 result rounds" in made
    assert "Not at its end" not in made
    assert "kept failed 2 times" in markdown(document).partition("## ")[0]
    last = list(csv.DictReader(io.StringIO(rounds_csv(document))))[-1]
    assert ("plan", "stopped", "", "kept failed 2 times") == (
        last["purpose"],
        last["outcome"],
        last["seconds"],
        last["cause"],
    )


def test_a_try_that_failed_is_in_all_of_them_with_its_cause() -> None:
    document = experiment()
    document["steps"][1]["scenarios"]["warm"]["rounds"].append(
        round_(
            1, 5, 5.0, outcome="failed", cause="no more memory", total_s=None, phases=[], attempt=2
        )
    )

    told = "warm/1/5 (kept), try 2: no more memory"

    assert told in page(document)
    assert f"- {told}" in markdown(document)
    (row,) = [
        row
        for row in csv.DictReader(io.StringIO(rounds_csv(document)))
        if row["outcome"] == "failed"
    ]
    assert ("total", "", "", "no", "no more memory") == tuple(
        row[head] for head in ("phase", "seconds", "uncertainty_s", "counts", "cause")
    )


def test_what_was_left_out_of_a_comparison_is_said() -> None:
    told = "it filled the compile cache: rounds/0/0, rounds/1/0"

    assert [told] == words.left_out(experiment(), "warm")
    assert told in page(experiment())
    assert f"- {told}".replace("_", r"\_") in markdown(experiment())


def test_notes_of_a_comparison_are_said() -> None:
    told = "kept: told on one side only, so not known to be equal: network"

    assert told in page(experiment())
    assert f"- {told}" in markdown(experiment())


@pytest.mark.parametrize(
    ("drift", "told"),
    [
        (None, "not looked for, there are too few rounds."),
        (
            {"correlation": -0.21, "p": 0.6123, "rounds": 8, "seen": False},
            "looked for, none seen (rank correlation \N{MINUS SIGN}0.21, p 0.612, 8 rounds).",
        ),
        (
            {"correlation": 0.83, "p": 0.001, "rounds": 12, "seen": True},
            (
                "later rounds are longer, whatever was changed (rank correlation +0.83, p 0.001, "
                "12 rounds)."
            ),
        ),
    ],
)
def test_drift_is_said_to_be_seen_or_not(drift: dict[str, Any] | None, told: str) -> None:
    """Silence would read as none; one that was seen stands at the top."""
    document = experiment() | {"drift": drift}

    assert f"Drift: {told}" == run_state.drift(document)
    made = page(document)
    assert 1 == made.count(told)
    is_at_top = made.index(told) < made.index("<main")
    assert bool(drift and drift["seen"]) is is_at_top


def test_an_engine_that_says_something_else_is_red_beside_the_verdict() -> None:
    document = experiment()
    rounds = document["steps"][1]["scenarios"]["warm"]
    rounds["serving"] |= {"same_text": False, "otherwise": True}
    for one in rounds["rounds"]:
        one["serving"] = {"problem": None, "same_text": False, "agreement": 0.5}

    made = page(document)

    assert '<span class="bad">says SOMETHING ELSE</span>' in made
    assert "says SOMETHING ELSE" in markdown(document)
    assert "at kept, warm, the engine" in "".join(run_state.otherwise(document))
    told = csv.DictReader(io.StringIO(rounds_csv(document)))
    assert {("0", ""), ("1", "something else")} == {(row["step"], row["serving"]) for row in told}
    assert [] == run_state.otherwise(experiment())


def test_a_reason_of_the_reference_case_is_called_so() -> None:
    """Its seconds are another machine's; what this run saw stands beside it."""
    made = page(experiment())

    decisions = made[made.index('id="decisions"') :]
    row = re.search(
        r'1 · kept.*?data-head="this run saw">(.*?)</td>.*?it is worth it', decisions, re.DOTALL
    )
    assert row is not None
    assert "total faster" in row[1]
    assert 'data-head="in the reference case"><span>it is worth it' in made


def test_nothing_together_is_no_table() -> None:
    """Of a plan of one's own changes."""
    document = experiment() | {"totals": {"recommended": {}}, "estimates": []}

    assert 'id="totals-title"' in page(experiment())
    assert 'id="totals-title"' not in page(document)


def test_nobody_that_moved_is_no_column() -> None:
    document = experiment()
    document["steps"][1]["against_previous"]["warm"]["also_moved"] = []

    assert 'data-head="also moved"' in page(experiment())
    assert 'data-head="also moved"' not in page(document)
