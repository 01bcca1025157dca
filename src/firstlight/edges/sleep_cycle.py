"""
An engine put to sleep and woken, and the moment of its first token after that.

The calls are vLLM's own, there in development mode only. It is asked until it says that it is
asleep: a wake-up of an engine that is still falling asleep would be timed with that. The
answer to the wake call is one moment, one token another, and the engine is told by both.

Two things can go wrong without anybody seeing it. An engine whose weights did not come back
answers, and answers nonsense: so it is asked the same before and after, and one that says the
same twice before, and begins otherwise after, did not wake up. And a call that fails leaves an
engine that `/health` calls well and that says that it sleeps, so requests to it wait for ever:
so what it says of itself after a failure is kept, and one that failed to fall asleep is woken.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.core.agreement import agreement
from firstlight.core.records import WAKE
from firstlight.core.units import NS_PER_S
from firstlight.edges.first_token import complaint, first_token, request, with_key
from firstlight.edges.http_exchange import Unanswered, exchange

_OK = 200
_LOOK_EVERY_S = 0.05
_AFTERWARDS_NS = 10 * NS_PER_S
_SAME_TOKENS = 16


def sleep_cycle(
    url: str, *, model: str | None, api_key: str | None, chat: bool, level: int, timeout_ns: int
) -> dict[str, object]:
    """
    Put it to sleep, wake it, ask for one token.

    Args:
        url: of the server.
        model: its name; None to leave it out.
        api_key: None where the server asks for none.
        chat: whether it answers on the chat route only.
        level: of the sleep.
        timeout_ns: for each of the calls.

    Returns:
        The object of wake.json: moments on the monotonic clock, and what went wrong, if so.
    """
    engine = Asked(url=url, model=model, api_key=api_key, chat=chat, timeout_ns=timeout_ns)
    told: dict[str, object] = {"schema": WAKE.schema, "level": level, "problem": None}
    once = engine.words()
    # Who does not answer is not asked again: each time may take as long as is waited.
    twice = engine.words() if once else ()
    try:
        told["sleep_asked_ns"] = time.monotonic_ns()
        engine.call("POST", f"/sleep?level={level}")
        engine.until_asleep()
        told["asleep_ns"] = time.monotonic_ns()
    except Unanswered as nothing:
        return told | {"problem": f"{nothing}{engine.woken_again()}"}
    told["health_asleep"] = engine.health()
    try:
        told["wake_asked_ns"] = time.monotonic_ns()
        engine.call("POST", "/wake_up")
        told["woken_ns"] = time.monotonic_ns()
    except Unanswered as nothing:
        return told | {"problem": f"{nothing}{engine.left()}"}
    token = first_token(url, model=model, chat=chat, headers=engine.headers, timeout_ns=timeout_ns)
    if not token.ok:
        return told | {"problem": f"no token after the wake-up: {token.words}"}
    told["first_token_ns"] = token.answered_ns
    return told | held_against(once, twice, engine.words() if once else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A server, and what is asked of it, with the key that it wants."""

    url: str
    model: str | None
    api_key: str | None
    chat: bool
    timeout_ns: int

    @property
    def headers(self) -> Mapping[str, str]:
        return with_key(self.api_key)

    def call(
        self, method: str, path: str, *, within_ns: int | None = None, body: object = None
    ) -> Any:
        """The JSON of the answer, None where it is none; a refusal is raised with its words."""
        try:
            with exchange(
                method,
                self.url,
                path,
                timeout_ns=within_ns or self.timeout_ns,
                headers={**self.headers, "Content-Type": "application/json"},
                body=None if body is None else json.dumps(body).encode(),
            ) as reply:
                status, said = reply.status, reply.body()
        except Unanswered as nothing:
            raise Unanswered(f"{path}: {nothing}") from nothing
        if status != _OK:
            raise Unanswered(f"{path} answered {status}: {complaint(said)}")
        try:
            return json.loads(said)
        except (ValueError, RecursionError):
            return None

    def sleeps(self, *, within_ns: int | None = None) -> bool:
        said = self.call("GET", "/is_sleeping", within_ns=within_ns)
        return isinstance(said, dict) and said.get("is_sleeping") is True

    def until_asleep(self) -> None:
        until_ns = time.monotonic_ns() + self.timeout_ns
        while time.monotonic_ns() < until_ns:
            if self.sleeps():
                return
            time.sleep(_LOOK_EVERY_S)
        raise Unanswered("/is_sleeping never said that it sleeps")

    def health(self) -> str:
        """What a probe sees."""
        try:
            self.call("GET", "/health", within_ns=_AFTERWARDS_NS)
        except Unanswered as nothing:
            return str(nothing)
        return f"/health answered {_OK}"

    def left(self) -> str:
        """How a failure leaves it, after the failure's own words."""
        health = self.health()
        try:
            sleeps = self.sleeps(within_ns=_AFTERWARDS_NS)
        except Unanswered as nothing:
            return f"; since then {health}, {nothing}"
        says = "it says that it sleeps, so requests wait" if sleeps else "it says that it is awake"
        return f"; since then {says}, and {health}"

    def woken_again(self) -> str:
        """Let one that failed to fall asleep take requests again; how that went."""
        try:
            if not self.sleeps(within_ns=_AFTERWARDS_NS):
                return ""
            self.call("POST", "/wake_up", within_ns=_AFTERWARDS_NS)
        except Unanswered as nothing:
            return f"; since then {nothing}"
        return "; it said that it sleeps all the same, and was woken"

    def words(self) -> Sequence[str]:
        """What it says to a fixed prompt, in tokens or characters; empty where it says nothing."""
        path, body = request(model=self.model, chat=self.chat, tokens=_SAME_TOKENS)
        # Token ids are vLLM's own; others pass over the wish.
        body |= {"stream": False, "seed": 0, "return_token_ids": True}
        try:
            said = self.call("POST", path, body=body)
            choice = said["choices"][0]
            text = choice.get("text") or choice.get("message", {}).get("content") or ""
            return [str(one) for one in choice.get("token_ids") or text]
        except (Unanswered, KeyError, IndexError, TypeError, AttributeError):
            return ()


def held_against(
    once: Sequence[str], twice: Sequence[str], after: Sequence[str]
) -> dict[str, object]:
    """The share of tokens alike from the first one on; None where it tells nothing."""
    share = agreement(once, twice, after)
    told: dict[str, object] = {"agreement": share}
    if share == 0:
        told["problem"] = (
            "after the wake-up it says other things than before it, from the first token on: "
            "its weights did not come back"
        )
    return told
