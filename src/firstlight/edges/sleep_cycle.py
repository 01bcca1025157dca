"""
An engine put to sleep and woken, and the moment of its first token after that.

The calls are vLLM's own, there in development mode only. It is asked until it says that it is
asleep: a wake-up of an engine that is still falling asleep would be timed with that. The
answer to the wake call is one moment, one token another, and the engine is told by both.
"""

import json
import time
from collections.abc import Mapping
from typing import Any

from firstlight.core.records import WAKE
from firstlight.edges.first_token import complaint, first_token
from firstlight.edges.http_exchange import Unanswered, exchange

_OK = 200
_LOOK_EVERY_S = 0.05


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
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    told: dict[str, object] = {"schema": WAKE.schema, "level": level, "problem": None}
    try:
        told["sleep_asked_ns"] = time.monotonic_ns()
        _called("POST", url, f"/sleep?level={level}", headers, timeout_ns)
        _until_asleep(url, headers, timeout_ns)
        told["asleep_ns"] = time.monotonic_ns()
        told["wake_asked_ns"] = time.monotonic_ns()
        _called("POST", url, "/wake_up", headers, timeout_ns)
        told["woken_ns"] = time.monotonic_ns()
    except Unanswered as nothing:
        return told | {"problem": str(nothing)}
    token = first_token(url, model=model, chat=chat, headers=headers, timeout_ns=timeout_ns)
    if not token.ok:
        return told | {"problem": f"no token after the wake-up: {token.words}"}
    return told | {"first_token_ns": token.answered_ns}


def _until_asleep(url: str, headers: Mapping[str, str], timeout_ns: int) -> None:
    until_ns = time.monotonic_ns() + timeout_ns
    while time.monotonic_ns() < until_ns:
        said = _called("GET", url, "/is_sleeping", headers, timeout_ns)
        if isinstance(said, dict) and said.get("is_sleeping") is True:
            return
        time.sleep(_LOOK_EVERY_S)
    raise Unanswered("/is_sleeping never said that it sleeps")


def _called(method: str, url: str, path: str, headers: Mapping[str, str], timeout_ns: int) -> Any:
    """The JSON of the answer, None where it is none; a refusal is raised with its words."""
    try:
        with exchange(method, url, path, timeout_ns=timeout_ns, headers=headers) as reply:
            status, body = reply.status, reply.body()
    except Unanswered as nothing:
        raise Unanswered(f"{path}: {nothing}") from nothing
    if status != _OK:
        raise Unanswered(f"{path} answered {status}: {complaint(body)}")
    try:
        return json.loads(body)
    except ValueError:
        return None
