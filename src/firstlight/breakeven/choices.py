"""
The four things one can do with an engine when nobody asks, and the start each ends in.

Whoever comes back to an engine that is down waits for a start. Which start that is makes the
choices differ, and so does what is paid for until then.
"""

from enum import StrEnum


class Scenario(StrEnum):
    """What a user who comes back waits for."""

    COLD = "cold"
    """A new node, then the engine."""
    WARM = "warm"
    """The engine, on a node that was kept."""
    WAKE = "wake"
    """The engine's memory, brought back onto its GPU."""


class Choice(StrEnum):
    """What becomes of the engine and its node after the idle time."""

    AWAKE = "stay awake"
    SLEEP = "sleep"
    """The engine sleeps on its GPU; pod and node stay."""
    KEEP = "keep the node"
    """The pod goes, the node stays for a window; after it, the node goes too."""
    ZERO = "scale to zero"
    """Pod and node go at once."""


NEEDS: dict[Choice, tuple[Scenario, ...]] = {
    Choice.AWAKE: (),
    Choice.SLEEP: (Scenario.WAKE,),
    Choice.KEEP: (Scenario.COLD, Scenario.WARM),
    Choice.ZERO: (Scenario.COLD,),
}
"""The start times without which a choice has no price."""
