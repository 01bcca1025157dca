"""
What a gateway asks its engine so that it has to work: one and the same short question.

Each time the same, greedily, so that what it says after a wake-up can be held against what it
said before, and what it took against what it took. Engines differ in what they can be asked: most
complete a text, some only chat, some only turn a text into a vector, and some none of these. Which
it is is tried out once; an engine that can be asked nothing is believed what it says of itself.
"""

import time
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from firstlight.edges.first_token import request
from firstlight.edges.gate.engine_calls import CallFailed, EngineCalls

WITHOUT_TEXT = ("",)
"""What is known of tokens that have neither number nor text: that there were some."""
SAME_TOKENS = 8
"""So many are held against each other: clients wait for it, and weights that are gone show in the
first."""
_PROMPT = "Hello"
_NUMBERS = 256
"""Of a vector; as many tell as well as all."""
_ODD = (LookupError, TypeError, AttributeError, ValueError, OverflowError)
"""What comes of an answer of another form than was asked for; a number may have any length."""
_KEYS_WANTED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
_NOT_UNDERSTOOD = {
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.NOT_IMPLEMENTED,
}


class Kind(StrEnum):
    """What can be asked."""

    COMPLETION = "completion"
    CHAT = "chat"
    VECTOR = "vector"
    NOTHING = "nothing"


class KeyWanted(CallFailed):
    """It asks for a key that this gateway does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer."""

    kind: Kind
    tokens: tuple[str, ...] = ()
    """Their numbers, or the letters of their text, or `WITHOUT_TEXT`."""
    vector: tuple[float, ...] = ()
    took_s: float


class Questions:
    """To one engine, until another takes its place."""

    def __init__(self, calls: EngineCalls) -> None:
        self._calls = calls
        self._kind: Kind | None = None
        self._model: str | None = None

    @property
    def kind(self) -> Kind | None:
        """What it can be asked; None where that has not been tried."""
        return self._kind

    def forget(self) -> None:
        """Another engine may be there."""
        self._kind = self._model = None

    async def model(self) -> str | None:
        """
        The name of its first model; None where it lists none.

        Raises:
            KeyWanted: it says that to those with a key.
            CallFailed: it was not there.
        """
        if self._model is None:
            try:
                listed = await self._calls.call("GET", "/v1/models")
                name = listed["data"][0]["id"]
                self._model = name if isinstance(name, str) else None
            except _ODD:
                self._model = None
            except CallFailed as no:
                _pass_over_refusal(no)
        return self._model

    async def ask(self, tokens: int = SAME_TOKENS) -> Said:
        """
        Ask it.

        Args:
            tokens: the most to ask for.

        Returns:
            What it said, which may be nothing.

        Raises:
            KeyWanted: it answers those with a key.
            CallFailed: it did not answer.
        """
        if self._kind is not None:
            return await self._asked(self._kind, tokens)
        for kind in (Kind.COMPLETION, Kind.CHAT, Kind.VECTOR):
            try:
                said = await self._asked(kind, tokens)
            except CallFailed as no:
                _pass_over_refusal(no)
            else:
                self._kind = kind
                return said
        self._kind = Kind.NOTHING
        return await self._asked(self._kind, tokens)

    async def _asked(self, kind: Kind, tokens: int) -> Said:
        if kind is Kind.NOTHING:
            return Said(kind=kind, took_s=0.0)
        path, body = _written(kind, await self.model(), tokens)
        began_s = time.monotonic()
        said = await self._calls.call("POST", path, body)
        took_s = time.monotonic() - began_s
        if kind is Kind.VECTOR:
            return Said(kind=kind, vector=_vector(said), took_s=took_s)
        return Said(kind=kind, tokens=_tokens(said), took_s=took_s)


def _written(kind: Kind, model: str | None, tokens: int) -> tuple[str, dict[str, object]]:
    if kind is Kind.VECTOR:
        named = {} if model is None else {"model": model}
        return "/v1/embeddings", {"input": _PROMPT, **named}
    path, body = request(model=model, chat=kind is Kind.CHAT, prompt=_PROMPT, tokens=tokens)
    # Token ids are vLLM's own; others pass over the wish.
    return path, body | {"stream": False, "seed": 0, "return_token_ids": True}


def _tokens(said: Any) -> tuple[str, ...]:
    try:
        choice = said["choices"][0]
        text = choice.get("text") or choice.get("message", {}).get("content") or ""
        tokens = tuple(str(one) for one in choice.get("token_ids") or text)
        # The text of a token may be empty; that there was one is then in the bill alone.
        return tokens or WITHOUT_TEXT * (said["usage"]["completion_tokens"] >= 1)
    except _ODD:
        return ()


def _vector(said: Any) -> tuple[float, ...]:
    try:
        return tuple(float(one) for one in said["data"][0]["embedding"][:_NUMBERS])
    except _ODD:
        return ()


def _pass_over_refusal(no: CallFailed) -> None:
    """A question that it does not understand is no fault of its; anything else is."""
    if no.status in _KEYS_WANTED:
        raise KeyWanted(
            f"it asks for a key ({no.status}), and VLLM_API_KEY is not set to it", status=no.status
        ) from no
    if no.status not in _NOT_UNDERSTOOD:
        raise no
