import signal
from dataclasses import dataclass

import pytest

from firstlight.measure.notes import notes
from firstlight.measure.whereabouts import Move


@dataclass(frozen=True, kw_only=True)
class End:
    """How an engine was stopped; by default as it should be."""

    length_ns: int = 0
    exit_code: int | None = 0
    ignored_sigterm: bool = False
    asked: tuple[str, ...] = ()
    killed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    log_problem: str | None = None


def noted(stopped: End, *, ended_itself: bool = False) -> list[str]:
    return notes(
        moves=[],
        no_token=None,
        printed=True,
        probed=True,
        stopped=stopped,
        ended_itself=ended_itself,
    )


def test_of_a_usual_round_there_is_nothing_to_note() -> None:
    """A note must mean something."""
    assert [] == noted(End())


@pytest.mark.parametrize(
    ("stopped", "words"),
    [
        (
            End(ignored_sigterm=True, exit_code=-signal.SIGKILL, asked=("a (pid 1)",)),
            "the engine ignored SIGTERM and was killed",
        ),
        (
            End(ignored_sigterm=True, exit_code=0, asked=("a (pid 1)", "b (pid 2)")),
            "the engine ended only when each of its processes had got SIGTERM",
        ),
        (
            End(asked=("a (pid 1)", "b (pid 2)"), killed=("a (pid 1)",)),
            "left over by the engine, and stopped: a (pid 1), b (pid 2)",
        ),
        (
            End(left=("a (pid 1)",)),
            "still running, not even SIGKILL ended: a (pid 1)",
        ),
    ],
)
def test_an_unusual_end_is_noted(stopped: End, words: str) -> None:
    """vLLM in the middle of its start waits for its core, which nobody has told yet."""
    assert [words] == noted(stopped)


def test_what_an_engine_that_crashed_left_behind_is_noted_as_such() -> None:
    """It could not ignore a signal that it did not get."""
    assert ["left over by the engine, and stopped: a (pid 1)"] == noted(
        End(asked=("a (pid 1)",)), ended_itself=True
    )


def test_the_notes_stand_in_the_order_of_the_start() -> None:
    """Where it was asked, what came, what it said."""
    found = notes(
        moves=[Move(url="http://h:2", not_before_ns=0, why="as its own line says")],
        no_token="no route",  # noqa: S106 - a token of text
        printed=False,
        probed=False,
        stopped=End(),
        ended_itself=False,
    )

    assert [
        "asked on h:2 instead, as its own line says",
        "no first token: no route",
        "the engine printed nothing",
        "the probe wrote nothing: the command runs no Python, or one without PYTHONPATH",
    ] == found
