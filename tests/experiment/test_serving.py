"""Equal answers are asked of others only where the baseline's own are equal."""

import msgspec
import pytest

from firstlight.core.errors import BadInput
from firstlight.experiment.serving import Request, Served, agreement, read_served, reference, told

MS = 1_000_000


def served(*answers: str, ttft_ms: int = 5, problem: str | None = None) -> Served:
    return Served(
        schema="firstlight.serving/1",
        requests=tuple(
            Request(
                prompt="p",
                ttft_ns=ttft_ms * MS,
                e2e_ns=4 * ttft_ms * MS,
                text=answer,
                tokens=tuple(answer.split()),
                problem=problem,
            )
            for answer in answers
        ),
    )


def test_equality_is_asked_where_the_baseline_is_steady() -> None:
    """A step that says something else is told."""
    steady = reference([served("a b"), served("a b")])
    assert steady is not None

    assert steady.is_steady
    assert told(served("a b"), steady)["same_text"] is True
    assert told(served("a c"), steady)["same_text"] is False
    assert 0.5 == told(served("a c"), steady)["agreement"]


def test_equality_is_asked_of_nobody_where_the_baseline_is_not() -> None:
    """Then it is told how many tokens agree, beside how many of its own do."""
    wavering = reference([served("a b c d"), served("a b c x")])
    assert wavering is not None

    found = told(served("a b y z"), wavering)

    assert (False, 0.75) == (wavering.is_steady, wavering.lowest_agreement)
    assert (None, 0.5) == (found["same_text"], found["agreement"])


def test_the_middle_of_the_requests_is_told() -> None:
    """In seconds."""
    found = told(served("a", "b", "c"), None)

    assert (0.005, 0.02, 3) == (found["ttft_s"], found["e2e_s"], found["requests"])


def test_a_request_that_was_not_answered_is_told_and_not_compared() -> None:
    """And makes no reference."""
    broken = served("a", problem="answered 500")

    assert (None, None) == (broken.digest, reference([broken]))
    assert ("answered 500", None) == (
        told(broken, reference([served("a")]))["problem"],
        told(broken, reference([served("a")]))["same_text"],
    )


def test_tokens_beyond_the_end_of_one_answer_do_not_agree() -> None:
    """An answer that breaks off is no agreement."""
    assert 0.5 == agreement(served("a b"), served("a b c d"))


def test_what_was_written_is_read_back() -> None:
    """And what is no serving check is refused."""
    one = served("a")

    assert one == read_served("s", msgspec.json.encode(one))
    for damaged in (b"{", b"[]", b'{"schema": "firstlight.round/1"}'):
        with pytest.raises(BadInput):
            read_served("s", damaged)
