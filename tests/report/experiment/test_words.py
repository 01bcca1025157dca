"""Numbers in words."""

from typing import Any

import pytest

from firstlight.report.experiment import rows, words
from tests.report.documents import experiment

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.0, "0.00 s"),
        (123.456, "123.5 s"),
        (12.345, "12.35 s"),
        (0.0123, "0.012 s"),
        (0.0042, "0.004 s"),
        (0.00042, "0.42 ms"),
        (-0.00042, f"{MINUS}0.42 ms"),
        (None, words.NOTHING),
    ],
)
def test_no_length_is_rounded_to_nothing(value: float | None, told: str) -> None:
    """A limit of 0.00 s would say that everything is seen."""
    assert told == words.seconds(value)


def test_there_is_one_minus_sign() -> None:
    """Sentences of the document have hyphens; ranges and names keep theirs."""
    told = words.sentence("the totals are -4.0 s apart (-1 to -2); compile-cache-2 of 2026-11-30")

    assert f"the totals are {MINUS}4.0 s apart ({MINUS}1 to {MINUS}2)" in told
    assert "compile-cache-2 of 2026-11-30" in told


def test_the_round_that_is_drawn_stands_beside_the_median() -> None:
    """Of an even number nobody lies on it; how far off is said where that is far."""
    one = experiment()["steps"][0]
    assert "median of 4: 100.5 s; drawn: 100.0 s" == words.beside_median(one, "warm")

    one["scenarios"]["warm"]["summary"]["total"]["median_s"] = 120.0
    assert words.beside_median(one, "warm").endswith("drawn: 100.0 s, 20.00 s apart")


def test_a_fixed_request_is_told_in_milliseconds() -> None:
    """Before and after, and how far they lie apart where that can be said."""
    one = experiment()["steps"][0]
    assert "" == words.fixed_request(one, "warm")
    told: dict[str, Any] = {
        "rounds": 4,
        "before_s": 0.28,
        "after_s": 0.3,
        "difference_s": 0.02,
        "low_s": -0.001,
        "high_s": 0.0251,
    }
    one["scenarios"]["warm"]["fixed_request"] = told

    said = "a fixed request takes 280 ms before the sleep and 300 ms after the wake-up"
    whole = f"{said}, +20.0 ms ({MINUS}1.0 ms to +25.1 ms)"
    assert whole == words.fixed_request(one, "warm")
    assert words.served(one, "warm").endswith(whole)
    told["difference_s"] = None
    assert said == words.fixed_request(one, "warm")


def test_a_single_round_is_no_median() -> None:
    one = experiment()["steps"][0]
    del one["scenarios"]["warm"]["rounds"][2:]

    assert "100.0 s, its only round" == words.beside_median(one, "warm")


def test_the_document_names_the_round_that_is_drawn() -> None:
    """It is not worked out again: here it is the longest."""
    one = experiment()["steps"][0]
    one["scenarios"]["warm"]["shown"] = 4

    shown = rows.shown_round(one, "warm")

    assert shown is not None
    assert 102.0 == shown["total_s"]
    assert 102.0 == round(sum(row["seconds"] for row in rows.stacked([one], "warm")))


def test_the_document_says_which_rounds_count() -> None:
    """A round that came up and was left out is none, and is drawn as that."""
    one = experiment()["steps"][0]
    one["scenarios"]["warm"]["rounds"][1]["counts"] = False

    assert 3 == len(rows.results(one, "warm"))
    assert 1 == [row["kind"] for row in rows.dots([one], "warm")].count("left out")


@pytest.mark.parametrize(
    ("technique", "number", "states", "told"),
    [
        (None, 1, {"unknown": 5}, "has no sign to look for"),
        (None, 0, {"unknown": 5}, words.NOTHING),
        ("kept", 1, {"applied": 4}, "applied"),
        ("kept", 1, {"applied": 3, "unknown": 1}, "applied in 3 rounds, unknown in 1 round"),
        ("kept", 1, {}, words.NOTHING),
    ],
)
def test_whether_it_took_effect(
    technique: str | None, number: int, states: dict[str, int], told: str
) -> None:
    one = experiment()["steps"][1] | {"technique": technique, "number": number}
    one["scenarios"]["warm"]["effect"] = states

    assert told == words.effect(one, "warm")
