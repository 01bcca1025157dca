"""What several steps came to: measured together, added up and called so, or why neither."""

from typing import Any

from firstlight.core.effects import EffectState
from tests.experiment.plans import CACHE, PLACEBO, STREAM
from tests.experiment.test_document import told

SIZES = {"technique": "capture-sizes"}
GIVEN = {
    "model_uri": "s3://bucket/m",
    "model_mount": "/mnt/m",
    "cache_dir": "${node}/cache",
    "max_capture_size": "8",
}
OWN = {"change": "own", "process": {"environment": {"OWN": "1"}}}


def missing(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["what"], one["because"]) for one in found["no_totals"]]


def test_recommended_steps_that_ran_together_have_a_total() -> None:
    """It is measured; there is no estimate beside it."""
    found = told([40, 30, 20, 25], [STREAM, CACHE, PLACEBO])

    total = found["totals"]["recommended"]["warm"]
    assert ["stream-weights", "compile-cache-local"] == total["steps"]
    assert (True, 40, 20) == (total["measured"], round(total["from_s"]), round(total["to_s"]))
    assert ([], {}) == (found["estimates"], found["totals"]["conditional"])


def test_gains_of_steps_that_did_not_run_together_are_an_estimate() -> None:
    """A conditional step stands between the two: what it took away is in no sum of the others."""
    found = told([100, 80, 70, 40], [STREAM, SIZES, CACHE], given=GIVEN)

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


def test_a_total_is_a_comparison_with_interval_and_verdict() -> None:
    """Of the base's rounds with those of the last such step, both changes declared."""
    found = told([40, 30, 20, 25], [STREAM, CACHE, PLACEBO])

    total = found["totals"]["recommended"]["warm"]
    assert ("faster", [4, 4], "compile-cache-local") == (
        total["verdict"],
        total["n"],
        total["last"],
    )
    assert (-20, -20, -20) == tuple(
        round(total[end]) for end in ("difference_s", "low_s", "high_s")
    )
    assert 0 < total["smallest_effect_s"] < 0.1


def test_a_total_in_which_nothing_was_seen_says_that() -> None:
    """Rounds of 40 s, give or take ten, on both sides."""
    found = told(
        [40, 40], [STREAM], noise_s=lambda slot: 10.0 * ((slot.number + slot.step) % 3 - 1)
    )

    total = found["totals"]["recommended"]["warm"]
    assert "no difference seen" == total["verdict"]
    assert total["low_s"] <= 0 <= total["high_s"]


def test_three_rounds_have_no_total_but_the_reason() -> None:
    found = told([40, 10], [STREAM], rounds=3)

    assert {"recommended": {}, "conditional": {}} == found["totals"]
    assert [("total", "too few rounds")] == missing(found)
    assert "3 rounds that count, and 4 are needed" in found["no_totals"][0]["why"]


def test_rounds_of_two_engines_have_neither_total_nor_estimate() -> None:
    """The engine was updated in the middle of the run."""
    found = told(
        [100, 80, 70, 40],
        [STREAM, SIZES, CACHE],
        given=GIVEN,
        engine=lambda slot: "0.32.0" if slot.number < 3 else "0.33.0",
    )

    assert ({"recommended": {}, "conditional": {}}, []) == (found["totals"], found["estimates"])
    assert [
        ("total", "not comparable"),
        ("estimate", "no verdict"),
        ("total", "not comparable"),
    ] == missing(found)
    assert "engine version (0.32.0 and 0.33.0)" in found["no_totals"][0]["why"]


def test_a_step_on_another_engine_is_not_totalled_with_the_base() -> None:
    """Each set is of one kind; they are not of the same."""
    found = told([40, 20], [STREAM], engine=lambda slot: "0.33.0" if slot.step else "0.32.0")

    assert {} == found["totals"]["recommended"]
    assert [("total", "not comparable")] == missing(found)


def test_one_step_that_ran_with_others_only_is_no_estimate() -> None:
    """Its own gain stands at it; there is nothing to add to it."""
    found = told([40, 20, 10], [OWN, CACHE])

    assert ([], {}) == (found["estimates"], found["totals"]["recommended"])
    assert [("total", "not alone")] == missing(found)


def test_what_was_not_seen_is_not_added_up() -> None:
    """The third step seems to take 10 s away, among rounds that are 30 s apart."""
    found = told(
        [100, 80, 70, 60],
        [STREAM, SIZES, CACHE],
        given=GIVEN,
        noise_s=lambda slot: 30.0 * (slot.number % 2) if slot.step > 1 else 0.0,
    )

    (estimate,) = found["estimates"]
    assert [
        ("stream-weights", -20, "faster"),
        ("compile-cache-local", 0, "no difference seen"),
    ] == [(part["step"], round(part["seconds"]), part["verdict"]) for part in estimate["parts"]]
    assert 80 == round(estimate["seconds"])
    assert "compile-cache-local counts nothing (no difference seen)" in estimate["says"]


def test_a_step_that_was_not_applied_ends_the_total() -> None:
    """What comes after it ran on top of it, and is none of exactly these steps."""
    found = told([40, 30, 10], [STREAM, CACHE], effects={1: EffectState.NOT_APPLIED})

    assert {} == found["totals"]["recommended"]
    assert [("total", "not alone")] == missing(found)
    assert ["stream-weights"] == found["no_totals"][0]["not_applied"]


def test_where_none_was_applied_that_is_the_reason() -> None:
    found = told([40, 30], [STREAM], effects={1: EffectState.NOT_APPLIED})

    assert [("total", "not applied")] == missing(found)
    assert "stream-weights was not applied" == found["no_totals"][0]["why"]


def test_a_plan_of_ones_own_changes_has_nothing_to_total() -> None:
    found = told([40, 20], [OWN])

    assert ({"recommended": {}, "conditional": {}}, [], []) == (
        found["totals"],
        found["estimates"],
        found["no_totals"],
    )
