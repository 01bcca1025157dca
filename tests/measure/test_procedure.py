"""Patience in virtual time: what would take minutes with a real engine."""
# ruff: noqa: ARG002 - a method of a port takes what the port gives

from dataclasses import dataclass, field

import pytest

from firstlight.measure.command import ServerAddress
from firstlight.measure.course import Course, Step
from firstlight.measure.heard import Heard
from firstlight.measure.order import Order
from firstlight.measure.ports import Ended, Engine, Instruments, Listener, Stopped
from firstlight.measure.procedure import End, Watch, Watched
from firstlight.measure.whereabouts import Whereabouts

_MS = 1_000_000
_S = 1_000_000_000


@dataclass(kw_only=True)
class World:
    """A clock that only waiting moves, an engine that stays, a server that answers by script."""

    now_ns: int = 0
    answers: dict[Step, int] = field(default_factory=dict)
    """The status of each answer; 0 for none. A step that is missing says 200."""
    takes_ns: dict[Step, int] = field(default_factory=dict)
    asked: list[tuple[Step, int]] = field(default_factory=list)
    """The question, and when."""
    given_ns: list[int] = field(default_factory=list)
    """How long each question was allowed to take."""
    started_ns: int = 0
    running_ns: int = 1

    def monotonic_ns(self) -> int:
        return self.now_ns

    def unix_ns(self) -> int:
        return self.now_ns

    def new_lines(self) -> list[tuple[int, str]]:
        return []

    def listeners(self) -> list[Listener]:
        return []

    def wait(self, *, timeout_ns: int) -> Ended | None:
        self.now_ns += timeout_ns
        return None

    def stop(self, *, grace_ns: int) -> Stopped:
        raise NotImplementedError

    def port(self, url: str, *, timeout_ns: int) -> "Said":
        return self._answer(Step.PORT, timeout_ns)

    def health(self, url: str, *, timeout_ns: int) -> "Said":
        return self._answer(Step.HEALTH, timeout_ns)

    def models(self, url: str, *, timeout_ns: int, api_key: str | None) -> "Said":
        return self._answer(Step.MODELS, timeout_ns)

    def first_token(
        self, url: str, *, timeout_ns: int, api_key: str | None, model: str | None, chat: bool
    ) -> "Said":
        return self._answer(Step.CHAT if chat else Step.COMPLETIONS, timeout_ns)

    def _answer(self, step: Step, timeout_ns: int) -> "Said":
        asked_ns = self.now_ns
        self.asked.append((step, asked_ns))
        self.given_ns.append(timeout_ns)
        self.now_ns += min(self.takes_ns.get(step, _MS), timeout_ns)
        status = self.answers.get(step, 200)
        return Said(
            asked_ns=asked_ns,
            answered_ns=self.now_ns,
            ok=status == 200,
            words=f"{step.name} {status}",
            status=status or None,
        )


@dataclass(frozen=True, kw_only=True)
class Said:
    """An answer."""

    asked_ns: int
    answered_ns: int
    ok: bool
    words: str
    status: int | None
    model: str | None = None


class NotNeeded:
    """What watching has no use for."""

    def __call__(self, *_: object, **__: object) -> Engine:
        raise NotImplementedError

    def fixed(self) -> dict[str, object]:
        raise NotImplementedError


def watched(world: World) -> tuple[Watched, Course]:
    """A watch with the usual patience."""
    order = Order(command=("vllm",), environment={}, label="x", home="/", user="u")
    course = Course(url="http://h:1", model=None, started_ns=0, running_ns=1)
    address = ServerAddress(url="http://h:1", given=True, port_named=True)
    absent = NotNeeded()
    watch = Watch(
        order=order,
        engine=world,
        course=course,
        heard=Heard(),
        whereabouts=Whereabouts(address, elsewhere_ns=order.elsewhere_ns),
        api_key=None,
        instruments=Instruments(
            clock=world,
            server=world,
            start_engine=absent,
            list_caches=absent,  # type: ignore[arg-type]
            host=absent,  # type: ignore[arg-type]
            store=absent,  # type: ignore[arg-type]
            progress=lambda _: None,
        ),
    )
    return watch.until_over(), course


def test_a_closed_port_is_asked_every_fifty_milliseconds_for_a_quarter_of_an_hour() -> None:
    """Then patience ends."""
    world = World(answers={Step.PORT: 0})

    over, _ = watched(world)

    assert (over.end, over.at_ns) == (End.TIMEOUT, 900 * _S)
    assert len(world.asked) == 900 * 20
    assert world.asked[1][1] - world.asked[0][1] == 50 * _MS


def test_a_server_that_is_slow_to_say_no_is_not_asked_without_a_pause() -> None:
    """Its one thread may be what the start is waiting for."""
    world = World(answers={Step.HEALTH: 503}, takes_ns={Step.HEALTH: _S})

    watched(world)

    moments = [at_ns for step, at_ns in world.asked if step is Step.HEALTH]
    assert moments[1] - moments[0] == _S + 10 * _MS


def test_no_question_outlasts_the_patience() -> None:
    """A server that accepts and never answers is a time-out at the same moment."""
    world = World(answers={Step.HEALTH: 0}, takes_ns={Step.HEALTH: 10_000 * _S})

    over, _ = watched(world)

    assert over.end is End.TIMEOUT
    assert 900 * _S <= over.at_ns < 901 * _S
    assert max(world.given_ns) == 5 * _S


def test_all_questions_are_asked_in_a_row_once_the_server_is_there() -> None:
    """No pause makes the first token look later than it could have been."""
    world = World()

    over, course = watched(world)

    assert (over.end, over.at_ns, course.no_token) == (End.ANSWERED, 4 * _MS, None)


@pytest.mark.parametrize(
    ("answers", "takes_ns"),
    [
        ({Step.COMPLETIONS: 503}, {}),
        ({Step.COMPLETIONS: 429}, {}),
        ({Step.COMPLETIONS: 0}, {}),
        ({Step.COMPLETIONS: 0}, {Step.COMPLETIONS: 10_000 * _S}),
    ],
    ids=["says later", "has too much to do", "nobody there", "never answers"],
)
def test_a_token_that_does_not_come_is_given_up_after_two_minutes(
    answers: dict[Step, int], takes_ns: dict[Step, int]
) -> None:
    """The server was ready; that it gives no token is what is known."""
    world = World(answers=answers, takes_ns=takes_ns)

    over, course = watched(world)

    assert (over.end, course.is_ready) == (End.ANSWERED, True)
    assert (course.no_token or "").startswith("COMPLETIONS")
    assert 120 * _S <= over.at_ns < 121 * _S


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({Step.COMPLETIONS: 500}, "COMPLETIONS 500"),
        ({Step.COMPLETIONS: 404, Step.CHAT: 502}, "CHAT 502"),
    ],
)
def test_a_server_that_answers_with_errors_only_is_not_asked_for_long(
    answers: dict[Step, int], words: str
) -> None:
    """A quarter of a minute of them is an answer."""
    over, course = watched(World(answers=answers))

    assert (over.end, course.is_ready) == (End.ANSWERED, True)
    assert f"{words}; nothing but errors came for 15 s" == course.no_token
    assert 15 * _S <= over.at_ns < 17 * _S


def test_a_list_of_models_that_does_not_come_is_done_without() -> None:
    """After ten seconds the token is asked for without a name."""
    world = World(answers={Step.MODELS: 503})

    over, course = watched(world)

    assert (over.end, course.no_token) == (End.ANSWERED, None)
    assert 10 * _S <= over.at_ns < 11 * _S
