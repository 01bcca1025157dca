"""
A trace that nobody saw: random requests at a rate that changes by the hour.

With the rate of each hour known, the expected number of requests up to a moment is a line of
straight pieces. A process with one request expected for each unit is drawn along it, by adding
up exponential steps, and read back as moments: exactly the process that is meant, with no
request thrown away. The same seed gives the same trace.
"""

from collections.abc import Callable, Sequence
from math import log

from firstlight.breakeven.prices import HOUR_S
from firstlight.breakeven.shapes import HOURS
from firstlight.core.errors import BadInput

_MOST = 5_000_000


def drawn(
    *, per_hour: float, weights: Sequence[float], days: int, uniform: Callable[[], float]
) -> list[float]:
    """
    The times of requests, in seconds from midnight of the first day.

    Args:
        per_hour: requests, in the mean of a day.
        weights: of the hours, with a mean of one.
        days: how many.
        uniform: where chance comes from: numbers in [0, 1).

    Raises:
        BadInput: they are too many to be drawn.
    """
    expected = per_hour * HOURS * days
    if expected > _MOST:
        raise BadInput(
            f"{expected:.0f} requests are too many to draw, at most {_MOST}",
            remedy="give fewer --days",
        )
    times: list[float] = []
    hour, passed = 0, 0.0
    due = -log(1 - uniform())
    last = days * HOURS
    while hour < last:
        rate = per_hour * weights[hour % HOURS]
        if due < passed + rate:
            times.append((hour + (due - passed) / rate) * HOUR_S)
            due -= log(1 - uniform())
        else:
            passed += rate
            hour += 1
    return times
