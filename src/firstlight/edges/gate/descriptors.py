"""
How many connections a process may have open, by the system's bound on its descriptors.

Shells and service managers give a process a soft bound of a thousand or so, which it may raise by
itself, for programs that look at all their descriptors one by one; none does here. Beyond the
hard one nothing can be opened any more, not even the connection that asks whether the engine
lives, so there are fewer clients rather than that.
"""

import resource
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from firstlight.edges.gate.limits import Limits

_OF_EACH = 2
"""One to the client and one to the engine."""
_KEPT = 32
"""For looks and questions, files, and what is listened on."""


def fitted(limits: Limits, say: Callable[..., None]) -> Limits:
    """
    Raise what this process may open as far as it may itself, and bound connections by that.

    Args:
        limits: as they were wished.
        say: is told where the system allows less, as an event and what belongs to it.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        # Refused where a hard bound was inherited that the kernel would give nobody any more.
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return limits
    fit = bounded(limits, allowed)
    if fit.connections < limits.connections:
        say(
            "fewer_connections",
            descriptors=allowed,
            wanted=limits.connections,
            at_most=fit.connections,
        )
    return fit


def bounded(limits: Limits, descriptors: int) -> Limits:
    """
    Limits under which so many descriptors are enough; where they are very few, one connection.

    Args:
        limits: as they were wished.
        descriptors: that may be open.
    """
    left = max(0, descriptors - _KEPT)
    reserved = min(limits.reserved_connections, left // 4)
    most = max(1, (left - reserved) // _OF_EACH)
    return replace(limits, connections=min(limits.connections, most), reserved_connections=reserved)
