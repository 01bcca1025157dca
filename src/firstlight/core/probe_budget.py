"""
How often the kubelet should ask an engine that starts, and for how long.

Ready comes at the first good answer, so a start is longer by half the period on average and
its total is known no better. Asking every second costs nothing. A start may take twice as
long as known starts do before it is given up, and never less than half a minute.
"""

from math import ceil

from firstlight.core.units import NS_PER_S

PERIOD_S = 1
_TIMES = 2
_FEWEST_FAILURES = 30


def start_failures(start_ns: int) -> int:
    """
    The `failureThreshold` of a startupProbe that asks every `PERIOD_S`.

    Args:
        start_ns: from the container's start until its server is up: of one start, or the
            95th percentile of several.
    """
    return max(_FEWEST_FAILURES, ceil(_TIMES * start_ns / (PERIOD_S * NS_PER_S)))
