"""
An engine behind a gateway, put to sleep, and the one request that wakes it.

What a client waits for is the request alone: nobody calls the engine's own routes, and through a
gateway nobody could. The gateway is told to let the engine sleep, says when it does, and is then
sent one request as clients make them. Between request and token it wakes the engine and asks it
what it said before; its log says when either was over, and each of its lines is stamped as it
comes.

A gateway that finds that something went wrong says so itself, in its state, in its log and to
whoever waits: those words are kept. Whatever it finds, the client's own question is asked before
the sleep and after it as well, for the client is who has to get the same answer.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from firstlight.core.records import WAKE
from firstlight.core.units import NS_PER_S
from firstlight.edges.first_token import complaint, first_token, with_key
from firstlight.edges.http_exchange import Unanswered, exchange
from firstlight.edges.sleep_cycle import Asked, held_against

_LOOK_EVERY_S = 0.05
_AFTERWARDS_NS = 10 * NS_PER_S
_LINES_WITHIN_NS = 2 * NS_PER_S
"""What it logs is read a moment after what it answers."""
_CONTROL = "/is_sleeping"
"""Of the routes that no gateway may pass, the one that changes nothing where it does."""
_LAST_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAt:
    """A gateway that was started for a round."""

    url: str
    token: str
    """Of its admin."""
    level: int
    """Of the sleeps that it gives."""
    lines: Callable[[], Sequence[tuple[int, str]]]
    """What it printed since the last call, each line with its monotonic moment."""
    ended: Callable[[], bool]
    """Whether its process is over."""


def gate_cycle(
    gate: GateAt, *, model: str | None, api_key: str | None, chat: bool, timeout_ns: int
) -> dict[str, object]:
    """
    Have the engine put to sleep, then ask for one token through the gateway.

    Args:
        gate: before the engine.
        model: the engine's name for it; None to leave it out.
        api_key: of the engine; None where it asks for none.
        chat: whether it answers on the chat route only.
        timeout_ns: for each of the steps.

    Returns:
        The object of wake.json: moments on the monotonic clock, what the gateway said, and what
        went wrong, if so.
    """
    front = _Front(gate, timeout_ns=timeout_ns)
    told = _cycle(front, model=model, api_key=api_key, chat=chat, timeout_ns=timeout_ns)
    return told | {"gate_log": front.log.texts}


def _cycle(
    front: "_Front", *, model: str | None, api_key: str | None, chat: bool, timeout_ns: int
) -> dict[str, object]:
    url = front.gate.url
    client = Asked(url=url, model=model, api_key=api_key, chat=chat, timeout_ns=timeout_ns)
    told: dict[str, object] = {
        "schema": WAKE.schema,
        "level": front.gate.level,
        "through": "gateway",
        "problem": None,
    }
    try:
        front.until_ready()
        told["control_status"] = front.control_status()
        once = client.words()
        twice = client.words() if once else ()
        told["sleep_asked_ns"] = time.monotonic_ns()
        front.put_to_sleep()
        told["asleep_ns"] = time.monotonic_ns()
    except Unanswered as nothing:
        return told | {"problem": str(nothing)}
    told["health_asleep"] = client.health()
    token = first_token(
        url, model=model, chat=chat, headers=with_key(api_key), timeout_ns=timeout_ns
    )
    if not token.ok:
        return told | {"problem": f"no token after the sleep: {token.words}{front.left()}"}
    told |= {"wake_asked_ns": token.asked_ns, "first_token_ns": token.answered_ns}
    told |= front.between(token.asked_ns, token.answered_ns)
    told["fixed_request_s"] = front.fixed_request_s()
    return told | held_against(once, twice, client.words() if once else ())


@dataclass(slots=True, kw_only=True)
class _Log:
    """What a gateway printed."""

    lines: Callable[[], Sequence[tuple[int, str]]]
    read: list[tuple[int, str]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        self._more()
        return [text for _, text in self.read]

    @property
    def last_words(self) -> str:
        return " ".join(" ".join(self.texts[-_LAST_WORDS:]).split())

    def find(self, event: str, since_ns: int) -> Sequence[tuple[int, Mapping[str, Any]]]:
        """Its lines of one kind from then on."""
        self._more()
        understood = ((at_ns, _object(text)) for at_ns, text in self.read)
        return [one for one in understood if one[0] >= since_ns and one[1].get("event") == event]

    def _more(self) -> None:
        self.read += self.lines()


class _Front:
    """A gateway, as its admin sees it."""

    def __init__(self, gate: GateAt, *, timeout_ns: int) -> None:
        self.gate = gate
        self.log = _Log(lines=gate.lines)
        self._timeout_ns = timeout_ns

    def until_ready(self) -> None:
        """Until requests may be sent to it; one that ends instead has said why."""
        words = "it was not asked"
        for _ in self._looks():
            if self.gate.ended():
                time.sleep(_LOOK_EVERY_S)
                raise Unanswered(f"the gateway ended: {self.log.last_words}")
            try:
                status, said = self._ask("GET", "/readyz", within_ns=_AFTERWARDS_NS)
            except Unanswered as nothing:
                words = str(nothing)
            else:
                if status == HTTPStatus.OK:
                    return
                words = complaint(said)
        raise Unanswered(f"the gateway was never ready: {words}")

    def control_status(self) -> int:
        """What it answers on a route that steers the engine."""
        status, _ = self._ask("GET", _CONTROL, within_ns=self._timeout_ns)
        if status != HTTPStatus.NOT_FOUND:
            raise Unanswered(f"GET {_CONTROL} answered {status} through the gateway, and not 404")
        return status

    def put_to_sleep(self) -> None:
        """Tell it to, until it says that the engine sleeps."""
        asked_ns = time.monotonic_ns()
        status, said = self._ask("POST", "/-/sleep", within_ns=self._timeout_ns)
        if status != HTTPStatus.ACCEPTED:
            told = _object(said)
            why = told.get("no_sleep") or told.get("says") or complaint(said)
            raise Unanswered(f"/-/sleep answered {status}: {why}")
        for _ in self._looks():
            now = self._state(self._timeout_ns)
            if now.get("state") == "asleep":
                return
            if failure := now.get("failure"):
                raise Unanswered(f"the engine failed: {failure}{self._came_of(asked_ns)}")
            if now.get("state") == "awake" and not now.get("sleep_wanted"):
                raise Unanswered(f"it did not fall asleep{self._came_of(asked_ns)}")
        raise Unanswered("/-/state never said that it sleeps")

    def between(self, asked_ns: int, token_ns: int) -> dict[str, object]:
        """When the engine was awake, and known to be what it was, before its token came."""
        until_ns = time.monotonic_ns() + _LINES_WITHIN_NS
        woke = verified = None
        while time.monotonic_ns() < until_ns and not (woke and verified):
            woke, verified = (self.log.find(one, asked_ns) for one in ("woke", "verified"))
            time.sleep(0 if woke and verified else _LOOK_EVERY_S)
        if not woke or not verified:
            return {"problem": "it was answered, and the gateway does not say that the engine woke"}
        # Read a moment after it was written, and never after what follows from it.
        verified_ns = min(verified[0][0], token_ns - 1)
        return {"woken_ns": min(woke[0][0], verified_ns - 1), "verified_ns": verified_ns}

    def fixed_request_s(self) -> object:
        """What its own question took before the sleep and right after the wake-up."""
        try:
            return self._state(_AFTERWARDS_NS).get("fixed_request_s")
        except Unanswered:
            return None

    def left(self) -> str:
        """How a failure leaves it, after the failure's own words."""
        try:
            now = self._state(_AFTERWARDS_NS)
            alive, _ = self._ask("GET", "/-/engine-livez", within_ns=_AFTERWARDS_NS)
        except Unanswered as nothing:
            return f"; since then {nothing}"
        return f"; since then the gateway says: {now.get('says')}, and /-/engine-livez is {alive}"

    def _came_of(self, asked_ns: int) -> str:
        for _, line in self.log.find("state", asked_ns):
            if line.get("before") == "falling asleep":
                return f": {line.get('why')}"
        return ""

    def _looks(self) -> Any:
        until_ns = time.monotonic_ns() + self._timeout_ns
        while time.monotonic_ns() < until_ns:
            yield
            time.sleep(_LOOK_EVERY_S)

    def _state(self, within_ns: int) -> Mapping[str, Any]:
        status, said = self._ask("GET", "/-/state", within_ns=within_ns)
        if status != HTTPStatus.OK:
            raise Unanswered(f"/-/state answered {status}: {complaint(said)}")
        return _object(said)

    def _ask(self, method: str, path: str, *, within_ns: int) -> tuple[int, bytes]:
        headers = with_key(self.gate.token)
        with exchange(method, self.gate.url, path, timeout_ns=within_ns, headers=headers) as reply:
            return reply.status, reply.body()


def _object(said: str | bytes) -> Mapping[str, Any]:
    """The JSON object of a text; an empty one where it is none."""
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
