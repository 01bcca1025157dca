"""
The probe's clock, and when this process began by it.

CLOCK_MONOTONIC is the same for all processes of a host, so records of different
processes lie on one axis. The kernel tells the start of a process in ticks
since boot, sleep included: 10 ms each, on CLOCK_BOOTTIME.
"""

# ruff: noqa: PTH123  (pathlib: heavy to import this early)

from __future__ import annotations

import os
import time

now_ns = time.monotonic_ns


def started() -> tuple[int, int, int]:
    """Start of this process: in ticks as the kernel tells it, on our clock, and its resolution.

    Where the kernel says nothing usable, now stands in and the resolution is 0.
    """
    now = now_ns()
    try:
        with open("/proc/self/stat", "rb") as stat:
            ticks = int(stat.read().rpartition(b")")[2].split()[19])
        tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
        since_boot_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        at = now_ns() - (since_boot_ns - ticks * tick_ns)
        if ticks > 0 and at <= now:
            return ticks, at, tick_ns
    except Exception:
        pass
    return now, now, 0
