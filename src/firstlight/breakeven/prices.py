"""
What a second costs: of the node, and of somebody's waiting.
"""

from dataclasses import dataclass

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """In one currency, whichever that is."""

    node_per_hour: float
    penalty_per_s: float
    """For each user who waits."""
    freed_memory_worth: float = 0.0
    """The share of the node's price that another engine pays while this one sleeps, 0 to 1."""

    @property
    def node_per_s(self) -> float:
        return self.node_per_hour / HOUR_S
