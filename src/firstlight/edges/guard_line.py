"""
Our end of the socket to the guard.

One thread takes in what the guard says as it comes, another waits for it; what
was said is kept here as values. The socket is also the engine's life line: when
it closes, because we close it or because we are no more, the guard clears up.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import firstlight
from firstlight.edges.process_table import members, send

_CHUNK_BYTES = 1 << 16
_GUARD_ENDS_WITHIN_S = 10.0
_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from firstlight.edges.guard import main; main(int(sys.argv[2]))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The command's process, and when it came to be; monotonic nanoseconds."""

    pid: int
    at_ns: int
    """Right before it was made."""
    running_ns: int
    """By then it was running the command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The command is over; processes it started may not be."""

    at_ns: int
    exit_code: int | None
    """Negative for a signal; None where its guard was killed and nobody could tell."""
    left: int
    """How many processes it left running."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The tree was emptied; names and pids of those that needed a signal."""

    asked: tuple[str, ...] = ()
    killed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class GuardLine:
    """What the guard said, and a way to tell it what to do."""

    def __init__(self, guard: subprocess.Popen[bytes], line: socket.socket) -> None:
        self.guard = guard
        self.started: Started | None = None
        self.refused: int | None = None
        """The errno with which the command was refused; None where it was not."""
        self.ended: Ended | None = None
        self.cleared: Cleared | None = None
        self.is_gone = False
        self._line = line
        self._unread = b""
        self._news = threading.Condition()

    @classmethod
    def opened(cls) -> Self:
        """
        Start a guard.

        The command is not among its arguments, where `pkill -f` looks.
        """
        packages = Path(firstlight.__file__).parent.parent
        ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            try:
                guard = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _BOOT, str(packages), str(number)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=[number],
                    start_new_session=True,
                    bufsize=0,
                )
            except OSError:
                ours.close()
                raise
        return cls(guard, ours)

    def fileno(self) -> int:
        """For a selector."""
        return self._line.fileno()

    def tell(self, words: str) -> None:
        # A guard that is gone is noticed where its words are read.
        with suppress(OSError):
            self._line.sendall(words.encode() + b"\n")

    def wait_for(self, happened: Callable[[], object], *, timeout_s: float | None = None) -> None:
        """Sleep until something was said, at most so long."""
        with self._news:
            self._news.wait_for(happened, timeout=timeout_s)

    def take_in(self) -> bool:
        """Read what was said, in the reading thread; False once the guard is gone."""
        data = b""
        with suppress(OSError):
            data = self._line.recv(_CHUNK_BYTES)
        *lines, self._unread = (self._unread + data).split(b"\n")
        with self._news:
            for line in lines:
                self._understand(line)
            if not data:
                self._lost()
            self._news.notify_all()
        return bool(data)

    def hang_up(self) -> None:
        """Let go; the guard kills what it still holds, and ends."""
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_WR)
        with suppress(subprocess.TimeoutExpired):
            self.guard.wait(timeout=_GUARD_ENDS_WITHIN_S)

    def close(self) -> None:
        """After `hang_up`, when nobody reads any more."""
        self._line.close()
        for pipe in (self.guard.stdout, self.guard.stderr):
            if pipe:
                pipe.close()

    def _understand(self, line: bytes) -> None:
        said = json.loads(line)
        match said["event"]:
            case "started":
                self.started = Started(
                    pid=said["pid"], at_ns=said["at_ns"], running_ns=said["running_ns"]
                )
            case "refused":
                self.refused = said["errno"]
            case "ended":
                self.ended = Ended(at_ns=said["at_ns"], exit_code=said["code"], left=said["left"])
            case "cleared":
                self.cleared = Cleared(
                    asked=tuple(said["asked"]),
                    killed=tuple(said["killed"]),
                    left=tuple(said["left"]),
                )

    def _lost(self) -> None:
        """The guard is gone; if somebody killed it, its last duty is ours."""
        self.is_gone = True
        if self.started is not None and self.cleared is None:
            orphans = members(self.started.pid)
            send(signal.SIGKILL, orphans)
            self.ended = self.ended or Ended(
                at_ns=time.monotonic_ns(), exit_code=None, left=len(orphans)
            )


def order(command: list[str], environment: dict[str, str]) -> str:
    """What the guard is to start; arguments are bytes, JSON carries each as a character."""
    return json.dumps(
        {
            "argv": [_bytewise(word) for word in command],
            "env": {_bytewise(name): _bytewise(value) for name, value in environment.items()},
        }
    )


def _bytewise(text: str) -> str:
    return os.fsencode(text).decode("latin-1")
