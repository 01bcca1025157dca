"""
One real request, and the moment its first token arrives.

A ready server that cannot generate is not ready. The smallest request that
proves it asks for one token, greedily, as a stream, and watches for the first
chunk that is a token: a chat stream opens with a chunk that only names the role.

How such a request is written and its stream is read is the same for whoever asks
for more than one token: `request`, `events`, `choices`, `complaint`.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol

from firstlight.edges.http_exchange import Answer, Unanswered, exchange

_OK = 200
_LONGEST_WORDS = 200
_ROUTES = {False: "/v1/completions", True: "/v1/chat/completions"}
_PROMPT = "Hello"
DONE = b"[DONE]"
"""The data of a stream's last event, by which a server says that no more will come."""


def first_token(
    url: str, *, model: str | None, chat: bool, headers: Mapping[str, str], timeout_ns: int
) -> Answer:
    """Ask for one token; the answer is ok if one came."""
    path, body = request(model=model, chat=chat)
    asked_ns = time.monotonic_ns()
    try:
        with exchange(
            "POST",
            url,
            path,
            timeout_ns=timeout_ns,
            headers={**headers, "Content-Type": "application/json"},
            body=json.dumps(body).encode(),
        ) as reply:
            return understood(reply, path=path, asked_ns=asked_ns)
    except Unanswered as nothing:
        return Answer(
            asked_ns=asked_ns,
            answered_ns=time.monotonic_ns(),
            ok=False,
            words=f"POST {path}: {nothing}",
        )


def served_model(body: bytes) -> str | None:
    """The first model that a server lists; None where it lists none."""
    with suppress(ValueError, RecursionError, KeyError, IndexError, TypeError):
        name = json.loads(body)["data"][0]["id"]
        return name if isinstance(name, str) else None
    return None


class Reply(Protocol):
    """An answer while it comes in, over whatever wire."""

    @property
    def status(self) -> int: ...
    @property
    def is_stream(self) -> bool: ...
    def line(self) -> bytes: ...
    def body(self) -> bytes: ...
    def drain(self) -> None: ...


def request(
    *, model: str | None, chat: bool, prompt: str = _PROMPT, tokens: int = 1
) -> tuple[str, dict[str, object]]:
    """
    Path and body of a greedy request, as a stream.

    Args:
        model: its name; None to leave it out.
        chat: whether for the chat route.
        prompt: what to say to it.
        tokens: the most to ask for.
    """
    body: dict[str, object] = {"prompt": prompt}
    if chat:
        body = {"messages": [{"role": "user", "content": prompt}]}
    body |= {"max_tokens": tokens, "temperature": 0, "stream": True}
    if model is not None:
        body["model"] = model
    return _ROUTES[chat], body


def with_key(api_key: str | None) -> dict[str, str]:
    """The header that a server with a key wants; none where there is no key."""
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def understood(reply: Reply, *, path: str, asked_ns: int) -> Answer:
    """Whether one token came, and how to say so."""
    token, words = False, ""
    if reply.status != _OK:
        words = f"POST {path} answered {reply.status}: {complaint(reply.body())}"
    elif reply.is_stream:
        token, words = _streamed(reply)
    else:
        body = reply.body()
        token = bool(choices(body))
        words = "a token came, though not as a stream" if token else complaint(body)
    answered_ns = time.monotonic_ns()
    if token and reply.is_stream:
        reply.drain()
    if reply.status == _OK:
        words = f"POST {path}: {words}"
    return Answer(
        asked_ns=asked_ns, answered_ns=answered_ns, ok=token, words=words, status=reply.status
    )


def _streamed(reply: Reply) -> tuple[bool, str]:
    """Whether a token came, and how to say so."""
    for data in events(reply):
        if data == DONE:
            break
        if any(_is_token(choice) for choice in choices(data)):
            return True, "the first token came"
        if b'"error"' in data:
            return False, complaint(data)
    return False, "the stream ended without a token"


def events(reply: Reply) -> Iterator[bytes]:
    """The data of each event of a stream, until the server ends it."""
    while line := reply.line():
        field, _, data = line.strip().partition(b":")
        if field == b"data":
            yield data.strip()


def choices(data: bytes) -> list[dict[str, Any]]:
    """What a chunk, or a whole answer, has of the model's; nothing where it is something else."""
    with suppress(ValueError, RecursionError):
        chunk = json.loads(data)
        if isinstance(chunk, dict) and isinstance(found := chunk.get("choices"), list):
            return [choice for choice in found if isinstance(choice, dict)]
    return []


def _is_token(choice: dict[str, Any]) -> bool:
    """Everything but an announcement of the role; a token may well be an empty text."""
    delta = choice.get("delta")
    if not isinstance(delta, dict) or choice.get("finish_reason"):
        return True
    return any(value for name, value in delta.items() if name != "role")


def complaint(body: bytes) -> str:
    """What a server says about a refusal, in its own words, briefly."""
    text = body.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        said = json.loads(text)
        if isinstance(said, dict):
            inner = said.get("error", said)
            if isinstance(inner, dict):
                inner = inner.get("message") or inner.get("detail") or inner
            text = str(inner)
    return " ".join(text.split())[:_LONGEST_WORDS] or "(no words)"
