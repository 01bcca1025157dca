"""
Fixed requests to an engine that is ready: how fast it serves, and what.

A start that was made faster must not be bought with an engine that serves slower or says
something else. Each prompt is asked once, as a stream, greedily and with a fixed seed; the
moment of the first token and of the end are kept, and the tokens themselves, by number where
the engine tells them, else the pieces in which the text came.
"""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from firstlight.core.records import SERVING
from firstlight.edges.first_token import DONE, choices, complaint, events, request, with_key
from firstlight.edges.http_exchange import Exchange, Unanswered, exchange

_OK = 200
_PIECES_A_TOKEN = 100
"""A server may cut its answer finer than tokens; one that goes on beyond this never ends."""


def serving_check(
    url: str,
    *,
    model: str | None,
    api_key: str | None,
    chat: bool,
    prompts: Sequence[str],
    tokens: int,
    timeout_ns: int,
) -> dict[str, object]:
    """
    Ask each prompt, and keep what came.

    Args:
        url: of the server.
        model: its name; None to leave it out.
        api_key: None where the server asks for none.
        chat: whether it answers on the chat route only.
        prompts: in order.
        tokens: the most to ask for, each.
        timeout_ns: for one answer.

    Returns:
        The object of serving.json; a request that was not answered says why.
    """
    headers = {"Content-Type": "application/json", **with_key(api_key)}
    route, _ = request(model=model, chat=chat)
    asked: list[dict[str, object]] = []
    for prompt in prompts:
        _, body = request(model=model, chat=chat, prompt=prompt, tokens=tokens)
        # The numbers of tokens are vLLM's own; others pass over the wish.
        body |= {"seed": 0, "return_token_ids": True}
        told = _asked(
            url,
            route,
            headers,
            json.dumps(body).encode(),
            timeout_ns=timeout_ns,
            most=_PIECES_A_TOKEN * tokens,
        )
        asked.append(told | {"prompt": prompt})
    return {"schema": SERVING.schema, "route": route, "tokens": tokens, "requests": asked}


def _asked(
    url: str, route: str, headers: Mapping[str, str], body: bytes, *, timeout_ns: int, most: int
) -> dict[str, object]:
    begun_ns = time.monotonic_ns()
    told: dict[str, object] = {"ttft_ns": None, "e2e_ns": None, "text": "", "tokens": []}
    try:
        with exchange(
            "POST", url, route, timeout_ns=timeout_ns, headers=headers, body=body
        ) as reply:
            if reply.status != _OK:
                return told | {"problem": f"answered {reply.status}: {complaint(reply.body())}"}
            return told | _streamed(reply, begun_ns, most=most)
    except Unanswered as nothing:
        return told | {"problem": str(nothing)}


def _streamed(reply: Exchange, begun_ns: int, *, most: int) -> dict[str, object]:
    """What came of one stream; one that goes on past `most` pieces is no answer."""
    first_ns: int | None = None
    ids: list[int] = []
    pieces: list[str] = []
    numbered = True
    for data in events(reply):
        if data == DONE:
            continue
        choice = next(iter(choices(data)), {})
        piece, found = _piece(choice), _ids(choice)
        if not choice and b'"error"' in data:
            return {"problem": f"the stream broke off: {complaint(data)}"}
        if not piece and not found:
            continue
        if first_ns is None:
            first_ns = time.monotonic_ns()
        pieces.append(piece)
        numbered = numbered and bool(found)
        ids += found
        if max(len(pieces), len(ids)) > most:
            return {"problem": f"the stream went on past {most} pieces, and less was asked for"}
    ended_ns = time.monotonic_ns()
    if first_ns is None:
        return {"problem": "the stream ended without a token"}
    return {
        "ttft_ns": first_ns - begun_ns,
        "e2e_ns": ended_ns - begun_ns,
        "text": "".join(pieces),
        "tokens": [str(one) for one in (ids if numbered else pieces)],
        "problem": None,
    }


def _piece(choice: Mapping[str, Any]) -> str:
    delta = choice.get("delta")
    inner = delta if isinstance(delta, dict) else {}
    said = choice.get("text") or inner.get("content") or inner.get("reasoning_content") or ""
    # Half of a pair that UTF-16 writes a character with is no character, and no JSON keeps it.
    return said.encode("utf-8", "replace").decode() if isinstance(said, str) else ""


def _ids(choice: Mapping[str, Any]) -> list[int]:
    found = choice.get("token_ids")
    if not isinstance(found, list) or not all(isinstance(one, int) for one in found):
        return []
    return found
