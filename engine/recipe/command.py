"""
What every command that prepares something does alike: once per machine, and with an exit code.
"""

import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, Protocol

from recipe.children import Children
from recipe.claim import claimed
from recipe.failures import CannotPrepare
from recipe.machine import HOME
from recipe.progress import Progress

DONE = 0
NOT_READY = 1
OUTSIDE_FAILED = 3
BUG = 70
INTERRUPTED = 130


class Place(Protocol):
    """Where something is prepared."""

    @property
    def home(self) -> Path: ...
    @property
    def lock(self) -> Path: ...
    @property
    def log(self) -> Path: ...
    def ready(self) -> dict[str, Any] | None: ...


def built_once(
    place: Place,
    *,
    environment: Mapping[str, str],
    progress: Progress,
    build: Callable[[Children], None],
) -> None:
    """Build it, or wait for somebody who does."""
    try:
        place.home.mkdir(parents=True, exist_ok=True)
        with claimed(place.lock, progress.say) as claim:
            if place.ready():
                return
            place.log.write_bytes(b"")
            build(Children(log=place.log, claim=claim, environment=environment, progress=progress))
    except OSError as error:
        raise CannotPrepare(
            f"{error.filename or place.home}: {error.strerror or error}",
            remedy=f"make room and permission there, or set {HOME} to another folder",
        ) from error


def carried_out(name: str, act: Callable[[], int]) -> int:
    """Turn failures into sentences and exit codes."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        return act()
    except CannotPrepare as failure:
        sys.stderr.write(f"{name}: {failure.message}\n  remedy: {failure.remedy}\n")
        return OUTSIDE_FAILED
    except KeyboardInterrupt:
        sys.stderr.write(f"\n{name}: interrupted; run this again\n")
        return INTERRUPTED
    except Exception:  # noqa: BLE001 - a bug of ours has its own exit code, never 1
        traceback.print_exc()
        return BUG


def _terminated(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Unwind as for Ctrl-C, so that a running child is ended too."""
    raise KeyboardInterrupt
