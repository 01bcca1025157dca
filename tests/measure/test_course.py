from dataclasses import dataclass

import pytest

from firstlight.core.marks import MarkKind
from firstlight.measure.course import Course, Step

S = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Said:
    """An answer."""

    asked_ns: int
    answered_ns: int
    ok: bool = True
    words: str = ""
    status: int | None = None
    model: str | None = None


def no(asked_ns: int, *, status: int | None = None, words: str = "no") -> Said:
    return Said(asked_ns=asked_ns, answered_ns=asked_ns + 1, ok=False, words=words, status=status)


def yes(asked_ns: int, *, took_ns: int = 1, model: str | None = None) -> Said:
    return Said(
        asked_ns=asked_ns, answered_ns=asked_ns + took_ns, words="yes", status=200, model=model
    )


def course(*answers: Said, step: Step | None = None) -> Course:
    begun = Course(url="http://h:1", model="given", started_ns=1000, running_ns=1003)
    if step is not None:
        begun.step = step
    for answer in answers:
        begun.learn(answer)
    return begun


def marked(begun: Course) -> list[tuple[str, int, int]]:
    return [(mark.kind.value, mark.at_ns, mark.resolution_ns) for mark in begun.marks]


def test_the_start_of_the_process_is_the_first_mark() -> None:
    """As exact as the time it took to become the command."""
    assert marked(course()) == [("process_started", 1000, 3)]


def test_each_yes_is_a_mark_and_leads_to_the_next_question() -> None:
    """A mark lies where its answer came, as exact as the time since the last no."""
    begun = course(
        no(1010),
        no(1060),
        yes(1110),
        no(1112),
        yes(1162, took_ns=30),
        yes(1193, model="served"),
        yes(1200, took_ns=500),
    )

    assert marked(begun)[1:] == [
        ("port_open", 1111, 51),
        ("health_200", 1192, 80),
        ("models_200", 1194, 82),
        ("first_token", 1700, 88),
    ]
    assert (begun.step, begun.model, begun.is_ready) == (Step.DONE, "served", True)


def test_a_yes_to_the_first_question_is_only_as_exact_as_the_whole_wait() -> None:
    """Nobody had asked before."""
    assert marked(course(yes(1500)))[1:] == [("port_open", 1501, 501)]


def test_a_slow_no_proves_nothing_for_the_time_it_took() -> None:
    """The server may have become ready while it kept us waiting for another answer."""
    slow = Said(asked_ns=1100, answered_ns=6100, ok=False, words="no answer")

    begun = course(yes(1050), slow, yes(6150))

    assert marked(begun)[-1] == ("health_200", 6151, 5051)


@pytest.mark.parametrize("status", [400, 404, 405, 422])
def test_a_refused_completion_leads_to_the_chat_route(status: int) -> None:
    """The models of some servers only chat."""
    begun = course(no(1, status=status), step=Step.COMPLETIONS)

    assert (begun.step, begun.no_token) == (Step.CHAT, None)


def test_if_both_routes_are_refused_there_is_no_token_and_both_reasons() -> None:
    """A server for embeddings is ready all the same."""
    begun = course(
        no(1, status=404, words="completions: no"),
        no(2, status=400, words="chat: no"),
        step=Step.COMPLETIONS,
    )

    assert (begun.step, begun.no_token) == (Step.DONE, "completions: no; chat: no")


@pytest.mark.parametrize("status", [401, 403])
def test_a_missing_key_is_said_and_not_asked_again(status: int) -> None:
    """No other route would be open."""
    begun = course(no(1, status=status), step=Step.COMPLETIONS)

    assert begun.step == Step.DONE
    assert begun.no_token is not None
    assert "API key" in begun.no_token


@pytest.mark.parametrize("status", [None, 408, 425, 429, 500, 503])
@pytest.mark.parametrize("step", [Step.HEALTH, Step.MODELS, Step.COMPLETIONS, Step.CHAT])
def test_what_may_pass_is_asked_again(step: Step, status: int | None) -> None:
    """No answer, or one that says later."""
    assert course(no(1, status=status), step=step).step == step


@pytest.mark.parametrize("status", [200, 408, 500, 502])
def test_errors_in_a_row_for_a_quarter_of_a_minute_end_the_asking(status: int) -> None:
    """Also a stream that has no token in it."""
    errors = [no(at_s * S, status=status, words="boom") for at_s in (0, 8, 16)]

    assert Step.CHAT == course(*errors[:2], step=Step.CHAT).step
    assert "boom" in (course(*errors, step=Step.CHAT).no_token or "")


@pytest.mark.parametrize("status", [None, 429, 503])
def test_errors_with_something_else_between_them_are_not_in_a_row(status: int | None) -> None:
    """A server that was away, or says later, may be about to start."""
    begun = course(
        no(0, status=500),
        no(8 * S, status=500),
        no(9 * S, status=status),
        no(16 * S, status=500),
        no(30 * S, status=500),
        step=Step.COMPLETIONS,
    )

    assert (Step.COMPLETIONS, None) == (begun.step, begun.no_token)


def test_a_server_without_a_list_of_models_is_asked_for_a_token_all_the_same() -> None:
    """By the name that the command gave."""
    begun = course(no(1, status=404), step=Step.MODELS)

    assert (begun.step, begun.model) == (Step.COMPLETIONS, "given")


def test_a_moment_that_was_not_reached_is_none() -> None:
    """A record must not hold a number for it."""
    begun = course(yes(1500))

    assert (begun.moment(MarkKind.PORT_OPEN), begun.moment(MarkKind.HEALTH_200)) == (1501, None)


def test_after_a_move_only_what_is_known_of_the_new_place_counts() -> None:
    """The engine says where it listens just before it does."""
    begun = course(no(1010))

    begun.move("http://h:2", not_before_ns=1400)
    begun.learn(yes(1500))

    assert (begun.url, marked(begun)[-1]) == ("http://h:2", ("port_open", 1501, 101))
