"""
Where an engine behind a gateway can be, and all that is known of it there.

What leads from one state to another is in `lifecycle`; why, and the whole table, in DESIGN.md.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from firstlight.gateway.orders import Order


class State(StrEnum):
    """Where an engine is."""

    STARTING = "starting"
    """Nobody answers yet."""
    AWAKE = "awake"
    FALLING_ASLEEP = "falling asleep"
    ASLEEP = "asleep"
    WAKING = "waking"
    UNVERIFIED = "awake, unverified"
    """It says that it is awake; whether it says what it said before is being looked at."""
    FAILED = "failed"
    """Only a new start helps, or its own recovery where it was only silent."""


ALIVE = frozenset(State) - {State.STARTING, State.FAILED}
"""States in which nobody needs to start the engine anew."""
BUSY = frozenset({State.FALLING_ASLEEP, State.WAKING, State.UNVERIFIED})
"""States that end by themselves, within a bound: something is being called. Only here one waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """All that is known of it."""

    state: State = State.STARTING
    since_ns: int = 0
    in_flight: int = 0
    waiting: int = 0
    waiting_bytes: int = 0
    last_demand_ns: int = 0
    """When a request last came or ended."""
    sleep_wanted: bool = False
    """It shall sleep as soon as it is awake and no request is with it."""
    wake_wanted: bool = False
    """It shall wake as soon as it sleeps, whoever waits."""
    failed_sleeps: int = 0
    """One after another."""
    no_sleep: str | None = None
    """Why it must not sleep again; None where it may."""
    failure: str | None = None
    """Why it failed; None where it has not."""
    recovers: bool = False
    """Whether an engine that failed may come back without a new start: it was only silent."""
    draining: bool = False
    sleeps: int = 0
    wakes: int = 0

    @property
    def is_drained(self) -> bool:
        """Nothing new comes, and nothing is left."""
        return self.draining and not self.in_flight and not self.waiting

    def enters(self, state: State, at_ns: int) -> Self:
        """The same engine, in another state from now on."""
        return replace(self, state=state, since_ns=at_ns)


Next = tuple[Lifecycle, tuple[Order, ...]]
"""What is known then, and what is to be done, in this order."""
