"""Waiting for what another process does, with an end to it."""

import time
from collections.abc import Callable
from pathlib import Path

from onenode.failures import ClusterFailed

STEP_S = 0.05


def until(met: Callable[[], bool], *, timeout_s: float) -> bool:
    """Wait until something holds; False when it does not in time."""
    end_s = time.monotonic() + timeout_s
    while not met():
        if time.monotonic() > end_s:
            return False
        time.sleep(STEP_S)
    return True


def require(met: Callable[[], bool], what: str, *, timeout_s: float, log: Path) -> None:
    """Wait until something holds, or say where to read why it does not."""
    if not until(met, timeout_s=timeout_s):
        raise ClusterFailed(
            f"{what} within {timeout_s:.0f} s: {last_line(log)}",
            remedy=f"read {log}",
        )


def last_line(log: Path) -> str:
    """Give the last words of a log."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return "it wrote no log"
    said = [line for line in lines if line.strip()]
    return said[-1][:300] if said else "its log is empty"
