"""
What a gateway is to do next, as its lifecycle says.
"""

from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    """Why a request is refused."""

    STARTING = "engine_starting"
    FAILED = "engine_failed"
    FULL = "queue_full"
    WAITED = "waited_too_long"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """The request that came goes to the engine now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The request that came waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """The request that came is refused."""

    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseAll:
    """All that wait go to the engine, in the order in which they came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseAll:
    """All that wait are refused."""

    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class AbandonAll:
    """Those that are with the engine get no answer any more, and are told so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutToSleep:
    """Call the engine so that it sleeps, and tell of the end as `Slept`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeUp:
    """Call the engine so that it wakes, and tell of the end as `Woke`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Ask it for tokens, hold them against those before, and tell of the end as `Verified`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    """Whatever is being called: nobody waits for its end any more."""


Order = (
    Pass
    | Hold
    | Refuse
    | ReleaseAll
    | RefuseAll
    | AbandonAll
    | PutToSleep
    | WakeUp
    | Verify
    | GiveUp
)
