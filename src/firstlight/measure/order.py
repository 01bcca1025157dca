"""
What to measure: the command, and how long to wait for what.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firstlight.core.units import NS_PER_MS, NS_PER_S

AddProbe = Callable[[Mapping[str, str], str], dict[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A server that gave its first token."""

    url: str
    model: str | None
    """As it names it; None where it did not say."""
    api_key: str | None
    """None where it asks for none."""
    chat: bool
    """Whether the token came from the chat route."""


AfterAnswer = Callable[[Reached], Mapping[str, Mapping[str, object]]]
"""Asks the server more; what it returns is written into the round's folder, by file name."""

FIRST_TOKEN_NS = 120 * NS_PER_S
POLL_EVERY_NS = 50 * NS_PER_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One command to start, any number of times."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    """All of the engine's environment, before the probe is put into it."""
    label: str
    home: str
    """Of the user, for caches whose place no variable names."""
    user: str
    url: str | None = None
    """Where the server will be; None to read it from the command and the engine's own words."""
    add_probe: AddProbe | None = None
    """Puts the probe into an environment, its records into a folder; None to measure without."""
    after_answer: AfterAnswer | None = None
    """Asked once the first token came, before the engine is stopped; None to stop it at once."""
    timeout_ns: int = 900 * NS_PER_S
    """From the start to /health 200."""
    first_token_timeout_ns: int = FIRST_TOKEN_NS
    """From the first request to its first token."""
    request_timeout_ns: int = 5 * NS_PER_S
    """For one answer to a poll."""
    poll_every_ns: int = POLL_EVERY_NS
    grace_ns: int = 10 * NS_PER_S
    """From SIGTERM to SIGKILL."""
    elsewhere_ns: int = 5 * NS_PER_S
    """How long an engine may say it listens elsewhere before a given URL is held to be wrong."""
