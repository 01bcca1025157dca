"""
One real request, and the moment its first token arrives.

A ready server that cannot generate is not ready. The smallest request that
proves it asks for one token, greedily, as a stream, and watches for the first
chunk that is a token: a chat stream opens with a chunk that only names the role.
"""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from firstlight.edges.http_exchange import Answer, Unanswered, exchange

_OK = 200
_LONGEST_WORDS = 200
_COMPLETIONS = "/v1/completions"
_CHAT = "/v1/chat/completions"


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
            body=body,
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
    with suppress(ValueError, KeyError, IndexError, TypeError):
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


def request(*, model: str | None, chat: bool) -> tuple[str, bytes]:
    """Path and body of the request for one token."""
    prompt: dict[str, object] = {"prompt": "Hello"}
    if chat:
        prompt = {"messages": [{"role": "user", "content": "Hello"}]}
    body = {**prompt, "max_tokens": 1, "temperature": 0, "stream": True}
    if model is not None:
        body["model"] = model
    return _CHAT if chat else _COMPLETIONS, json.dumps(body).encode()


def understood(reply: Reply, *, path: str, asked_ns: int) -> Answer:
    """Whether one token came, and how to say so."""
    token, words = False, ""
    if reply.status != _OK:
        words = f"POST {path} answered {reply.status}: {complaint(reply.body())}"
    elif reply.is_stream:
        token, words = _streamed(reply)
    else:
        body = reply.body()
        token = bool(_choices(body))
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
    while line := reply.line():
        field, _, data = line.strip().partition(b":")
        if field != b"data":
            continue
        if data.strip() == b"[DONE]":
            break
        if any(_is_token(choice) for choice in _choices(data)):
            return True, "the first token came"
        if b'"error"' in data:
            return False, complaint(data)
    return False, "the stream ended without a token"


def _choices(data: bytes) -> list[dict[str, Any]]:
    with suppress(ValueError):
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
    with suppress(ValueError):
        said = json.loads(text)
        if isinstance(said, dict):
            inner = said.get("error", said)
            if isinstance(inner, dict):
                inner = inner.get("message") or inner.get("detail") or inner
            text = str(inner)
    return " ".join(text.split())[:_LONGEST_WORDS] or "(no words)"
