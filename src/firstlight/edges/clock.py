"""
The host's two clocks.

The monotonic one times everything: nobody sets it back. The wall clock is read
once per round, to say when that was; `measure.anchor` joins the two.
"""

import time


class SystemClock:
    """CLOCK_MONOTONIC and CLOCK_REALTIME, in nanoseconds."""

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()

    def unix_ns(self) -> int:
        return time.time_ns()
