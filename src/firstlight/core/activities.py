"""
Activities: work that may overlap other work.

A front end waits while its engine imports; the engine waits while its worker
compiles. All three are busy by their own account, and the clock runs once. An
activity therefore carries a depth: how far down the chain of waiting it is.
Where activities overlap, attribution gives the time to the deepest, because
that is what the others were waiting for; among equals, to the one begun last,
because that is the more specific.
"""

from dataclasses import dataclass

from firstlight.core.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """One stretch of work by one process."""

    path: tuple[str, ...]
    """Names from the outside in: ("worker: imports", "torch")."""
    depth: int
    """0 for the front end, 1 for what it waits for, and so on."""
    start_ns: int
    end_ns: int
    uncertainty_ns: int = 0
    """What the clocks of its two ends cannot tell apart."""
    evidence: tuple[Evidence, ...] = ()
    """What proves the beginning and the end, in that order."""
