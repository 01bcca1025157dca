"""
What the gateway answers itself: probes, numbers, the drain, and orders of whoever has the token.

None of it counts as demand. What anybody may ask is answered in sentences of our own; why it is so,
also in the engine's words, is told to whoever has the token. Orders are given by POST and answered
at once, with where the engine is: 202 where they are taken up, 409 where they cannot be. Without a
token file there are no such routes; with one that cannot be read there are, and nobody gets in.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus

from firstlight.core.units import seconds
from firstlight.edges.gate.door import OwnAnswer, OwnRequest
from firstlight.edges.gate.log_lines import LogLines
from firstlight.edges.gate.metrics import CONTENT_TYPE, Metrics
from firstlight.edges.gate.token_file import NoToken, TokenFile
from firstlight.gateway.answers import MARK, MARKED, Code, Problem
from firstlight.gateway.happenings import SleepWanted, WakeWanted
from firstlight.gateway.states import Lifecycle, State
from firstlight.wiring.gating.keeper import Keeper
from firstlight.wiring.gating.readiness import Verdict, engine_alive

_ADMIN = {"/-/sleep": "POST", "/-/wake": "POST", "/-/state": "GET"}
_READS = ("GET", "HEAD")
_WHY_NOT = {
    State.STARTING: "the engine is not there yet",
    State.FAILED: "the engine failed",
    State.AWAKE: "the engine is awake, and has not generated a token lately",
}
_DRAIN_BEGINS_WITHIN_S = 2.0
"""A whole pod that ends tells both its containers at once; an engine that ends alone drains
nothing, and need not wait."""


class OwnRoutes:
    """Of one gateway."""

    def __init__(
        self,
        *,
        keeper: Keeper,
        metrics: Metrics,
        lines: LogLines,
        tokens: TokenFile | None,
        ready: Callable[[], Verdict],
        has_looked: Callable[[], bool],
        fixed_request_s: Callable[[], Mapping[str, float | None]],
        ending: asyncio.Event,
        monotonic_ns: Callable[[], int],
    ) -> None:
        """
        Args:
            keeper: knows where the engine is.
            metrics: count.
            lines: tell.
            tokens: lets admins in; None where there are none.
            ready: whether requests should be sent here.
            has_looked: whether the engine has been looked at once.
            fixed_request_s: what one and the same request took, by when.
            ending: set when the gateway was told to end.
            monotonic_ns: what time it is.
        """
        self._keeper = keeper
        self._metrics = metrics
        self._lines = lines
        self._tokens = tokens
        self._ready = ready
        self._has_looked = has_looked
        self._fixed_request_s = fixed_request_s
        self._ending = ending
        self._monotonic_ns = monotonic_ns

    async def __call__(self, asked: OwnRequest) -> OwnAnswer:
        """
        Answer one.

        Args:
            asked: on one of the routes of `gateway.routes.OWN`.
        """
        if asked.path in _ADMIN:
            return self._admin(asked)
        if asked.method not in _READS:
            return _not_by(*_READS)
        match asked.path:
            case "/health" | "/readyz":
                return self._readiness()
            case "/livez":
                return _probe(Verdict(yes=True, words="the gateway answers"))
            case "/startupz":
                return _probe(Verdict(yes=self._has_looked(), words="the engine was looked at"))
            case "/-/engine-livez":
                return _probe(_for_all(engine_alive(self._keeper.now), self._keeper.now))
            case "/metrics":
                return self._numbers()
            case "/-/drained":
                return await self._drained()
            case _:
                return _refused(Code.NO_ROUTE, "no such route here")

    def _readiness(self) -> OwnAnswer:
        now, ready = self._keeper.now, self._ready()
        if not ready.yes and now.state is State.AWAKE:
            self._lines.say_seldom("not_ready", "not_ready", why=ready.words)
        if self._ending.is_set() or now.draining:
            return _probe(ready)
        return _probe(_for_all(ready, now))

    def _numbers(self) -> OwnAnswer:
        now = self._keeper.now
        self._metrics.state(now.state)
        self._metrics.counts(
            waiting=now.waiting, waiting_bytes=now.waiting_bytes, in_flight=now.in_flight
        )
        return OwnAnswer(status=HTTPStatus.OK, body=self._metrics.page(), content_type=CONTENT_TYPE)

    async def _drained(self) -> OwnAnswer:
        """Answer when whoever asks, before it ends the engine, may do so."""
        if self._keeper.now.state is State.FAILED:
            return _probe(Verdict(yes=True, words="the engine failed, and has nothing to finish"))
        try:
            async with asyncio.timeout(_DRAIN_BEGINS_WITHIN_S):
                await self._ending.wait()
        except TimeoutError:
            return _probe(Verdict(yes=True, words="no drain has begun"))
        await self._keeper.drained()
        return _probe(Verdict(yes=True, words="nothing is with the engine"))

    def _admin(self, asked: OwnRequest) -> OwnAnswer:
        if self._tokens is None:
            return _refused(Code.NO_ROUTE, "no such route here: there is no admin token")
        try:
            let_in = self._tokens.lets_in(asked.authorization)
        except NoToken as problem:
            self._lines.say_seldom("admin", "no token", problem=str(problem))
            let_in = False
        if not let_in:
            self._lines.say_seldom("admin", "refused", refused=asked.path)
            words = "the admin's bearer token is needed here"
            return _refused(Code.NO_TOKEN, words, ("WWW-Authenticate", "Bearer"))
        wanted = _ADMIN[asked.path]
        if asked.method != wanted:
            return _not_by(wanted)
        if asked.path == "/-/state":
            return self._state(HTTPStatus.OK)
        if asked.path == "/-/sleep":
            self._keeper.feed(SleepWanted())
            done = self._sleeps_soon(self._keeper.now)
        else:
            self._keeper.feed(WakeWanted())
            done = self._keeper.now.state not in {State.STARTING, State.FAILED, State.ASLEEP}
        self._lines.say("admin", wanted=asked.path.removeprefix("/-/"), taken=done)
        return self._state(HTTPStatus.ACCEPTED if done else HTTPStatus.CONFLICT)

    @staticmethod
    def _sleeps_soon(now: Lifecycle) -> bool:
        return now.sleep_wanted or now.state in {State.FALLING_ASLEEP, State.ASLEEP}

    def _state(self, status: int) -> OwnAnswer:
        now = self._keeper.now
        at_ns = self._monotonic_ns()
        ready = self._ready()
        told = {
            "state": now.state,
            "for_s": round(seconds(at_ns - now.since_ns), 3),
            "ready": ready.yes,
            "says": ready.words,
            "idle_s": round(seconds(at_ns - now.last_demand_ns), 3) if now.last_demand_ns else None,
            "in_flight": now.in_flight,
            "waiting": now.waiting,
            "sleep_wanted": now.sleep_wanted,
            "no_sleep": now.no_sleep,
            "failure": now.failure,
            "draining": now.draining,
            "sleeps": now.sleeps,
            "wakes": now.wakes,
            "fixed_request_s": self._fixed_request_s(),
        }
        return OwnAnswer(status=status, body=json.dumps(told).encode())


def _for_all(verdict: Verdict, now: Lifecycle) -> Verdict:
    """What anybody may read: no words of the engine's, which may quote anything."""
    words = f"the engine is {now.state}"
    return Verdict(yes=verdict.yes, words=words if verdict.yes else _WHY_NOT.get(now.state, words))


def _probe(verdict: Verdict) -> OwnAnswer:
    status = HTTPStatus.OK if verdict.yes else HTTPStatus.SERVICE_UNAVAILABLE
    text = f"{verdict.words}\n".encode()
    return OwnAnswer(status=status, body=text, content_type="text/plain; charset=utf-8")


def _not_by(*methods: str) -> OwnAnswer:
    words = f"this is asked by {' or '.join(methods)}"
    return _refused(Code.METHOD, words, ("Allow", ", ".join(methods)))


def _refused(code: Code, words: str, *headers: tuple[str, str]) -> OwnAnswer:
    problem = Problem(code=code, words=words)
    return OwnAnswer(status=problem.status, body=problem.body, headers=((MARK, MARKED), *headers))
