"""
What the HTTP side of a gateway and whoever decides about the engine have to say to each other.

The HTTP side knows requests and bytes and nothing of sleep; the keeper knows the engine's life and
nothing of HTTP. Between them is a door: a request waits there until it may go in, and whoever went
in leaves, once, whatever became of it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from firstlight.gateway.orders import Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A request that does not go to the engine."""

    why: Why
    words: str
    """For whoever asked."""
    retry_after_s: int


class Door(Protocol):
    """Where requests for the engine wait."""

    async def enter(self, body_bytes: int) -> Refusal | None:
        """
        Wait until the request may go to the engine; None when it may, and `leave` must follow.

        Cancelled when the client goes; then no `leave` follows.

        Args:
            body_bytes: what is kept of it at most while it waits, its head with it.
        """
        ...

    def leave(self) -> None:
        """The request that went in is answered to its end, or nobody waits for that."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRequest:
    """A request for the gateway itself; its body has been left alone."""

    method: str
    path: str
    query: str
    """As it was spelled, without the question mark."""
    authorization: str | None
    """Not for any log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAnswer:
    """What the gateway itself says."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


AnswersOwn = Callable[[OwnRequest], Awaitable[OwnAnswer]]
"""Answers what `gateway.routes` calls own; cancelled when the client goes."""


class End(StrEnum):
    """How an exchange with the engine ended."""

    WHOLE = "whole"
    CLIENT_GONE = "client_gone"
    CLIENT_SLOW = "client_slow"
    """It sent or took nothing for longer than is waited."""
    CLIENT_WRONG = "client_wrong"
    """The rest of its request was no HTTP, or more than is taken."""
    ENGINE_FAILED = "engine_failed"
    """It refused the connection, cut it, or did not speak HTTP."""
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """One request that went to the engine, as far as counts and clocks show it."""

    method: str
    end: End
    status: int | None
    """What the engine answered; None where it did not."""
    request_bytes: int
    response_bytes: int
    """Of the bodies, as they passed."""
    first_byte_s: float | None
    """From going in, or from the end of the request's body where that came later, to the first
    byte of the answer's body; None where none came."""
    lasted_s: float


class Witness(Protocol):
    """Who is told of what passed and of what was kept out, for counts; it must return at once."""

    def passed(self, exchanged: Exchanged) -> None:
        """An exchange with the engine has ended."""
        ...

    def turned_away(self, code: str) -> None:
        """The gateway itself said no, in one of the codes of `gateway.answers`."""
        ...
