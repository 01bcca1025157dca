"""
Whether an engine keeps more memory with each sleep, so that one of the next wake-ups fails.

After each sleep the engine says how much of the device is still in use; 2.75 to 4.17 GiB were seen
to stay. What stays is context, graphs and what libraries keep for themselves: it varies a little,
and it may take a step and stay there. A leak is something else: it grows with every cycle, and
when what is left does not hold the weights any more, the wake-up runs out of memory and takes the
engine with it. To sleep no more in time costs only what sleep saves.

So the trend has to be one on the whole and in both halves, which a step is not, and enough per
sleep and in all. It is the median of the slopes between any two sleeps (Theil 1950, Sen 1968),
which a single outlier does not move. A leak may begin late, so the last few sleeps are asked as
well as the last many. The first sleep after a start fills what later ones reuse, and is left out.
"""

from collections.abc import Sequence
from itertools import combinations
from statistics import median

from firstlight.core.units import BYTES_PER_GIB

_FILLS = 1
_MOST = 64
"""As far back as it is looked: each two of them make a slope."""
_FEWEST = 8
"""Sleeps after the first one; with fewer there is no trend."""
_PER_SLEEP_BYTES = 32 * 1024**2
"""The engine's log tells hundredths of a GiB: three of them."""
_IN_ALL_BYTES = 3 * BYTES_PER_GIB // 2
"""As much as what stays was seen to vary."""


def why_no_more(in_use_bytes: Sequence[int]) -> str | None:
    """
    Why an engine must not sleep again, in a sentence; None where it may.

    Args:
        in_use_bytes: after each sleep since the engine was started, in order, the first included.
    """
    values = in_use_bytes[_FILLS:][-_MOST:]
    if len(values) < _FEWEST:
        return None
    lengths = [_FEWEST]
    while lengths[-1] < len(values):
        lengths.append(min(2 * lengths[-1], len(values)))
    return next(filter(None, (_leak(values[-length:]) for length in lengths)), None)


def _leak(values: Sequence[int]) -> str | None:
    count = len(values)
    # An odd one in the middle belongs to both.
    halves = values[: (count + 1) // 2], values[count // 2 :]
    slope = _slope(values)
    in_all = slope * (count - 1)
    if in_all < _IN_ALL_BYTES or any(
        one < _PER_SLEEP_BYTES for one in (slope, *map(_slope, halves))
    ):
        return None
    return (
        f"the memory still in use after a sleep grew by {_gib(slope)} a sleep over {count} sleeps, "
        f"{_gib(in_all)} in all, from {_gib(values[0])} to {_gib(values[-1])}: it leaks, and a "
        "wake-up would run out of memory"
    )


def _slope(values: Sequence[int]) -> float:
    return median(
        (later - earlier) / (m - n)
        for (n, earlier), (m, later) in combinations(enumerate(values), 2)
    )


def _gib(size_bytes: float) -> str:
    return f"{size_bytes / BYTES_PER_GIB:.2f} GiB"
