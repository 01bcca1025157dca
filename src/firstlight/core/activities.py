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
from firstlight.core.marks import Mark


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


def between(
    begins: Mark, ends: Mark, *path: str, depth: int = 0, apart_ns: int = 0
) -> tuple[Activity, ...]:
    """The stretch between two marks, with a name; nothing where it is empty.

    Args:
        begins: the first mark.
        ends: the second.
        path: names from the outside in.
        depth: how far down the chain of waiting it is.
        apart_ns: how far the clocks of the two may be apart.
    """
    if ends.at_ns <= begins.at_ns:
        return ()
    return (
        Activity(
            path=path,
            depth=depth,
            start_ns=begins.at_ns,
            end_ns=ends.at_ns,
            uncertainty_ns=begins.resolution_ns + ends.resolution_ns + apart_ns,
            evidence=(begins.evidence, ends.evidence),
        ),
    )
