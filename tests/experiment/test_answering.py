"""A step's engine has to answer what the baseline's answers, in each of its rounds."""

from collections.abc import Sequence
from typing import Any

import pytest

from firstlight.experiment.answering import answering, unanswered
from firstlight.experiment.serving import Request, Served, without_token

SILENT = without_token("POST /v1/completions answered 500: boom")


def served(*problems: str | None, text: str = "a b") -> Served:
    """A request for each problem, answered where it has none."""
    return Served(
        schema="firstlight.serving/1",
        requests=tuple(
            Request(prompt="p", text=text, tokens=tuple(text.split()), problem=problem)
            for problem in problems
        ),
    )


FINE = served(None, None)


def found(rounds: Sequence[Served | None], baseline: Sequence[Served | None]) -> dict[str, Any]:
    told = answering(rounds, baseline)
    assert told is not None
    return told


@pytest.mark.parametrize("silent", [1, 3, 4])
def test_a_step_that_gives_no_token_in_some_rounds_does_not_answer(silent: int) -> None:
    """As one that leaves a later request unanswered; its other rounds excuse nothing."""
    told = found([SILENT] * silent + [FINE] * (4 - silent), [FINE] * 4)

    assert (True, silent == 4) == (told["otherwise"], told["answers_nothing"])
    assert unanswered(told) == (
        f"a request was not answered in {silent} of 4 rounds: "
        "no first token: POST /v1/completions answered 500: boom"
    )


def test_a_later_request_that_is_not_answered_is_the_same() -> None:
    """With the words of that request."""
    told = found([served(None, "answered 500"), FINE], [FINE, FINE])

    assert (True, ["answered 500"]) == (told["otherwise"], told["problems"])


def test_no_step_is_held_against_a_baseline_that_never_answers() -> None:
    """Neither one that answers nor one that does not; the baseline itself is told apart."""
    for rounds in ([FINE, FINE], [SILENT, SILENT], [SILENT, FINE]):
        told = found(rounds, [SILENT, SILENT])
        assert (False, None) == (told["otherwise"], told["same_text"])
    assert found([SILENT, SILENT], [SILENT, SILENT])["answers_nothing"]


def test_a_request_that_the_baseline_never_answers_is_asked_of_nobody() -> None:
    """The rest of what it answers is."""
    partly = served(None, "too long")

    assert not found([partly], [partly, partly])["otherwise"]
    assert found([served("too long", "too long")], [partly, partly])["otherwise"]
    assert found([SILENT], [partly, partly])["otherwise"]


def test_a_baseline_that_answers_now_and_then_is_held_against_itself_too() -> None:
    """So are the steps."""
    baseline = [SILENT, FINE]

    assert found(baseline, baseline)["otherwise"]
    assert found([SILENT, FINE], baseline)["otherwise"]
    assert not found([FINE, FINE], baseline)["otherwise"]


def test_a_token_is_enough_where_no_more_is_asked() -> None:
    """A plan without a serving check still shows an engine that cannot generate."""
    told = found([None, SILENT], [None, None])

    assert (True, 2, False) == (told["otherwise"], told["rounds"], told["answers_nothing"])
    assert answering([None, None], [None, SILENT]) is None


def test_without_a_round_of_the_baseline_what_is_not_answered_is_told() -> None:
    """Nobody knows that it would have answered no more."""
    assert found([SILENT], [])["otherwise"]
    assert not found([FINE], [])["otherwise"]
