"""
What happens to a gateway: requests, calls to the engine that end, looks at it, orders, time.

Each is a fact. What follows from it is the lifecycle's to say.
"""

from dataclasses import dataclass
from enum import StrEnum


class Sight(StrEnum):
    """An engine as its health route and what it says of its sleep show it."""

    AWAKE = "awake"
    ASLEEP = "asleep"
    ABSENT = "absent"
    """Nobody listens, or nobody answers HTTP there."""
    DEAD = "dead"
    """Its front end answers and says that the engine behind it is gone."""
    SILENT = "silent"
    """It takes connections and has not answered for longer than is waited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """A request for the engine; a probe or a look at metrics is none."""

    body_bytes: int = 0
    """As far as it must be kept while it waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A request that was passed on or released: answered to its end, or given up by its client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """
    A request that waits no more: its client went, or its time was up.

    Not one that was released or refused meanwhile: the first ends, the second is done with.
    """

    body_bytes: int = 0
    """As when it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The engine was looked at."""

    sight: Sight
    begun_ns: int
    """When the look began: what changed since then it does not tell of."""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slept:
    """The calls that put it to sleep have ended."""

    problem: str | None = None
    still_asleep: bool = False
    """After a problem: whether it says all the same that it sleeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedBack:
    """It was wanted before the first of those calls was made, so none was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Woke:
    """The calls that wake it have ended."""

    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """It was asked for tokens after a wake-up."""

    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepWanted:
    """Somebody with the right to do so wants it asleep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWanted:
    """Somebody with the right to do so wants it awake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepRefused:
    """
    It must not sleep again until it is started anew: it leaks, for example.

    Forgotten when its process goes; what holds for the next one too is told again.
    """

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainWanted:
    """The gateway is to end: nothing new, and what is there to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    """Time went by."""

    stood_still_ns: int = 0
    """How much of it this gateway did nothing in, for it was stopped or given no turn."""


Happening = (
    Came
    | Ended
    | Left
    | Seen
    | Slept
    | TurnedBack
    | Woke
    | Verified
    | SleepWanted
    | WakeWanted
    | SleepRefused
    | DrainWanted
    | Ticked
)
