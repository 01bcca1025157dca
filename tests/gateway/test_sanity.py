"""What an engine says after a wake-up, held against what it said before its first sleep."""

from dataclasses import replace

import pytest

from firstlight.gateway.sanity import Held, Reference, tokens_held, vectors_held

SIXTEEN = tuple(str(token) for token in range(16))
STEADY = Reference(once=SIXTEEN, twice=SIXTEEN)
UNSTEADY = Reference(once=SIXTEEN, twice=SIXTEEN[::-1])
SILENT = Reference(once=(), twice=())


def forked(alike: int) -> list[str]:
    """Goes on otherwise after so many tokens."""
    return [*SIXTEEN[:alike], *("x" for _ in SIXTEEN[alike:])]


def test_the_same_is_well() -> None:
    assert Held(agreement=1.0) == tokens_held(STEADY, SIXTEEN)
    assert STEADY.is_steady


@pytest.mark.parametrize(
    ("alike", "problem"),
    [
        (0, "from the first token on: its weights did not come back"),
        (1, "for 1 of 16 tokens only: its weights did not come back whole"),
        (7, "for 7 of 16 tokens only: its weights did not come back whole"),
    ],
)
def test_nonsense_is_a_problem(alike: int, problem: str) -> None:
    """Whoever agrees in less than half is not the engine that fell asleep."""
    held = tokens_held(STEADY, forked(alike))

    assert alike / 16 == held.agreement
    assert (held.problem or "").endswith(problem)


@pytest.mark.parametrize("alike", [8, 15])
def test_a_late_difference_is_said_and_let_pass(alike: int) -> None:
    """Sums are rounded otherwise in another batch; a new start for that would cost minutes."""
    held = tokens_held(STEADY, forked(alike))

    assert (alike / 16, None) == (held.agreement, held.problem)
    assert (held.says or "").startswith(f"after {alike} of 16 tokens it goes on otherwise")


@pytest.mark.parametrize(
    "before", [None, STEADY, UNSTEADY, replace(STEADY, once=()), replace(STEADY, twice=())]
)
def test_no_token_is_a_problem_whatever_it_said_before(before: Reference | None) -> None:
    assert "after the wake-up it gave no token" == tokens_held(before, []).problem


@pytest.mark.parametrize(
    ("before", "says"),
    [
        (None, "what it said before it slept is not known, so only that it gives tokens is"),
        (
            UNSTEADY,
            "it gave two answers to one question before its first sleep, so neither is held to",
        ),
        (
            replace(STEADY, once=()),
            "it gave two answers to one question before its first sleep, so neither is held to",
        ),
        (SILENT, "it gave no token before its first sleep, so what it says now tells nothing"),
    ],
)
def test_without_a_steady_reference_nothing_is_claimed(before: Reference | None, says: str) -> None:
    """That tokens came is all there is to know."""
    assert Held(says=says) == tokens_held(before, ["x"])
    assert before is None or not before.is_steady


def test_an_engine_that_never_gave_a_token_is_not_held_to_any() -> None:
    """It would be started anew after each wake-up, and never serve."""
    assert None is tokens_held(SILENT, []).problem


def test_a_vector_is_held_to_its_direction() -> None:
    """Its length may be of any norm."""
    held = vectors_held([3.0, 4.0, 0.0], [6.0, 8.0, 0.01])

    assert 1.0 == pytest.approx(held.agreement, abs=1e-5)
    assert (None, None) == (held.problem, held.says)


def test_a_vector_that_turned_is_said_and_one_that_turned_far_is_a_problem() -> None:
    a_little = vectors_held([1.0, 0.0], [1.0, 0.2])
    far = vectors_held([1.0, 0.0], [1.0, 1.0])

    assert a_little.problem is None
    assert "its vector points elsewhere than before its first sleep: cosine 0.981" == a_little.says
    assert (far.problem or "").endswith("cosine 0.707, so its weights did not come back")


@pytest.mark.parametrize("after", [[], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_vector_without_direction_is_a_problem(after: list[float]) -> None:
    """Weights of zeros give such ones."""
    for before in (None, [1.0, 0.0]):
        assert (
            "after the wake-up it gave no vector that has a direction"
            == vectors_held(before, after).problem
        )


def test_a_vector_of_another_size_is_a_problem() -> None:
    assert (
        "its vectors had 2 numbers, and now have 3"
        == vectors_held([1.0, 0.0], [1.0, 0.0, 0.0]).problem
    )


@pytest.mark.parametrize("before", [None, [], [0.0, 0.0]])
def test_without_a_vector_before_nothing_is_claimed(before: list[float] | None) -> None:
    held = vectors_held(before, [1.0, 0.0])

    assert (None, None) == (held.agreement, held.problem)
    assert held.says
