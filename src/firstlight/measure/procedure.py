"""
Watching a start until it has answered, ended, or taken too long.

One loop, one thread: it sleeps until the next poll is due or the command ends,
takes in what was printed, and asks the question that the course is at. What the
answers mean is decided in `course`, where to ask in `whereabouts`, what went
wrong in `failures`; the loop only carries that out.
"""

from dataclasses import dataclass
from enum import StrEnum

from firstlight.core.marks import MarkKind
from firstlight.measure.course import Course, Step
from firstlight.measure.heard import Heard
from firstlight.measure.order import Order
from firstlight.measure.ports import Answer, Ended, Engine, Instruments
from firstlight.measure.whereabouts import Elsewhere, Move, Whereabouts

_MODELS_MOST_NS = 10_000_000_000
_RETRY_TOKEN_NS = 500_000_000
_SHORTEST_NS = 1_000_000_000
"""The last question before the time is up may outlast it by so much, to be answered at all."""


class End(StrEnum):
    """Why the watching is over."""

    ANSWERED = "answered"
    ENDED = "ended"
    TIMEOUT = "timeout"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """How the watching ended; how far the start came is in the course."""

    end: End
    at_ns: int
    ended: Ended | None = None
    """Of a command that ended by itself."""
    listening: tuple[str, ...] = ()
    """Where the engine listens, if it does, in case it never answered."""


class Watch:
    """One start under observation."""

    def __init__(
        self,
        *,
        order: Order,
        engine: Engine,
        course: Course,
        heard: Heard,
        whereabouts: Whereabouts,
        api_key: str | None,
        instruments: Instruments,
    ) -> None:
        self._order = order
        self._engine = engine
        self._course = course
        self._heard = heard
        self._whereabouts = whereabouts
        self._api_key = api_key
        self._with = instruments
        self.moves: list[Move] = []

    def until_over(self) -> Watched:
        """Watch until a first token came or cannot come, the command ended, or time is up."""
        next_ns = 0
        shown: Step | None = None
        while self._course.step is not Step.DONE:
            if shown is not self._course.step:
                shown = self._course.step
                self._with.progress(shown.value)
            ended = self._engine.wait(timeout_ns=max(0, next_ns - self._now_ns()))
            self._heard.take(self._engine.new_lines())
            now_ns = self._now_ns()
            if ended is not None:
                return Watched(end=End.ENDED, at_ns=ended.at_ns, ended=ended)
            if self._course.step is Step.PORT and (over := self._follow(now_ns)):
                return over
            if not self._course.is_ready and now_ns >= self._deadline_ns():
                return Watched(end=End.TIMEOUT, at_ns=now_ns, listening=self._listening())
            next_ns = self._ask(now_ns)
        return Watched(end=End.ANSWERED, at_ns=self._now_ns())

    def _now_ns(self) -> int:
        return self._with.clock.monotonic_ns()

    def _deadline_ns(self) -> int:
        """When patience for the present question ends."""
        course, order = self._course, self._order
        if not course.is_ready:
            return self._engine.started_ns + order.timeout_ns
        if course.step is Step.MODELS:
            return (course.moment(MarkKind.HEALTH_200) or 0) + _MODELS_MOST_NS
        return (course.token_asked_ns or self._now_ns()) + order.first_token_timeout_ns

    def _ask(self, now_ns: int) -> int:
        """Put the present question; the moment at which the next is due."""
        course, before = self._course, self._course.step
        answer = self._answer(now_ns)
        course.learn(answer)
        now_ns = self._now_ns()
        if course.step is not before:
            return now_ns
        if course.is_ready and now_ns >= self._deadline_ns():
            if before is Step.MODELS:
                course.skip_models()
                return now_ns
            course.give_up(course.last_no)
            return now_ns
        if before in {Step.COMPLETIONS, Step.CHAT}:
            # A request that failed inside the engine is not repeated twenty times a second.
            return now_ns + _RETRY_TOKEN_NS
        every_ns = self._order.poll_every_ns
        # A server that is slow to answer gets a breath between two questions.
        return max(answer.asked_ns + every_ns, now_ns + every_ns // 5)

    def _answer(self, now_ns: int) -> Answer:
        course, server = self._course, self._with.server
        left_ns = max(_SHORTEST_NS, self._deadline_ns() - now_ns)
        timeout_ns = min(left_ns, self._order.request_timeout_ns)
        match course.step:
            case Step.PORT:
                return server.port(course.url, timeout_ns=timeout_ns)
            case Step.HEALTH:
                return server.health(course.url, timeout_ns=timeout_ns)
            case Step.MODELS:
                return server.models(course.url, timeout_ns=timeout_ns, api_key=self._api_key)
            case _:
                return server.first_token(
                    course.url,
                    timeout_ns=left_ns,
                    api_key=self._api_key,
                    model=course.model,
                    chat=course.step is Step.CHAT,
                )

    def _follow(self, now_ns: int) -> Watched | None:
        news = self._whereabouts.news(
            url=self._course.url, heard=self._heard, engine=self._engine, now_ns=now_ns
        )
        match news:
            case Move():
                self.moves.append(news)
                self._course.move(news.url, not_before_ns=news.not_before_ns)
            case Elsewhere():
                return Watched(end=End.ELSEWHERE, at_ns=now_ns, listening=(news.where,))
            case None:
                pass
        return None

    def _listening(self) -> tuple[str, ...]:
        return tuple(f"port {one.port} ({one.host})" for one in self._engine.listeners())
