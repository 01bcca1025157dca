"""
An engine as a child process, watched and not left behind.

Between us and it stands the guard (see `guard`): it starts the command in a
session of its own, tells us when it began and when it ended, and empties the
tree, also when we are killed. Here one thread reads the engine's two pipes and
the guard's words; every read is stamped on the monotonic clock as it returns,
written to engine.log at once, and offered to whoever decides.

The engine gets no input, and its environment is the one it is given.
"""

import os
import selectors
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from firstlight.core.errors import OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.edges.engine_log import EngineLog
from firstlight.edges.guard_line import Cleared, Ended, GuardLine, Started, order
from firstlight.edges.line_tap import LineTap
from firstlight.edges.listening import Listener, listeners
from firstlight.edges.process_table import descendants
from firstlight.edges.refusals import refusal

_CHUNK_BYTES = 1 << 16
_SETTLE_MOST_S = 2.0
"""What is left of the tree may take this long to end by itself, and again after SIGTERM."""
_CLEARED_WITHIN_S = 15.0
"""The guard gives up on unkillable processes before this."""
_PIPES_MOST_S = 2.0
"""A pipe that somebody outside the tree holds open never ends; we stop reading then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """How the tree came to be empty."""

    length_ns: int
    exit_code: int | None
    """Of the command; negative for a signal, None where nobody could tell."""
    ignored_sigterm: bool
    """The command was still there when the grace period was over."""
    asked: tuple[str, ...]
    """Who was still there after that and got SIGTERM."""
    killed: tuple[str, ...]
    """Who needed SIGKILL."""
    left: tuple[str, ...]
    """Whom not even SIGKILL ended within seconds: stuck in the kernel."""
    log_problem: str | None
    """Why engine.log is incomplete; None where it is whole."""


class EngineProcess:
    """A started command, made by `start`; for one thread."""

    def __init__(
        self, guard: GuardLine, log: EngineLog, started: Started, reader: "_Reader"
    ) -> None:
        self._guard = guard
        self._log = log
        self._started = started
        self._reader = reader
        self._stopped: Stopped | None = None

    @classmethod
    def start(
        cls,
        *,
        command: Sequence[str],
        environment: Mapping[str, str],
        log_path: str,
        unix_offset_ns: int,
        secrets: Sequence[str] = (),
    ) -> Self:
        """
        Start a command and begin to record what it prints.

        Args:
            command: looked up on the PATH of `environment`.
            environment: all of it; ours is not added.
            log_path: where engine.log goes; must not exist.
            unix_offset_ns: what to add to the monotonic clock to get Unix time.
            secrets: texts that must not get into the log.

        Raises:
            EngineFailed: there is no such command, or it may not be run.
            OutsideFailed: the log cannot be written, or no process can be made.
        """
        try:
            log = EngineLog(Path(log_path), secrets=secrets)
        except OSError as broken:
            raise OutsideFailed(
                f"{log_path} cannot be written: {broken.strerror}",
                remedy="name a folder that can be written, with room in it",
            ) from broken
        try:
            guard = GuardLine.opened()
        except OSError as broken:
            log.close()
            raise OutsideFailed(
                f"no process can be started here: {broken.strerror}",
                remedy="check the limits on processes and memory (ulimit -a)",
            ) from broken
        reader = _Reader(guard, log, offset_ns=unix_offset_ns)
        try:
            started = _begun(guard, command, environment)
        except BaseException:
            _let_go(guard, log, reader)
            raise
        return cls(guard, log, started, reader)

    @property
    def pid(self) -> int:
        """Of the command itself."""
        return self._started.pid

    @property
    def started_ns(self) -> int:
        """The monotonic moment right before the command's process was made."""
        return self._started.at_ns

    @property
    def running_ns(self) -> int:
        """The monotonic moment by which it was running the command."""
        return self._started.running_ns

    def new_lines(self) -> list[tuple[int, str]]:
        """What it printed since the last call, each line with its monotonic moment."""
        return self._reader.tap.fetch()

    def wait(self, *, timeout_ns: int) -> Ended | None:
        """Sleep until the command has ended, at most so long; None while it runs."""
        self._guard.wait_for(lambda: self._guard.ended, timeout_s=timeout_ns / NS_PER_S)
        return self._guard.ended

    def listeners(self) -> tuple[Listener, ...]:
        """The TCP ports that its processes listen on."""
        return listeners(row.pid for row in descendants(self._guard.guard.pid))

    def stop(self, *, grace_ns: int) -> Stopped:
        """
        End the command and everything it started; idempotent.

        SIGTERM to the command, `grace_ns` to comply, then SIGTERM and SIGKILL to what is left.
        Whatever interrupts this, closing the line makes the guard kill at once.
        """
        if self._stopped is None:
            try:
                self._stopped = self._stop(grace_ns)
            finally:
                _let_go(self._guard, self._log, self._reader)
        return self._stopped

    def _stop(self, grace_ns: int) -> Stopped:
        guard, began_ns = self._guard, time.monotonic_ns()
        guard.tell("term")
        ignored = self.wait(timeout_ns=grace_ns) is None
        guard.tell(f"clear {min(_SETTLE_MOST_S, grace_ns / NS_PER_S)}")
        guard.wait_for(lambda: guard.cleared or guard.is_gone, timeout_s=_CLEARED_WITHIN_S)
        cleared = guard.cleared or Cleared()
        self._reader.join(timeout_s=_PIPES_MOST_S)
        problem = self._log.problem
        return Stopped(
            length_ns=time.monotonic_ns() - began_ns,
            exit_code=guard.ended.exit_code if guard.ended else None,
            ignored_sigterm=ignored,
            asked=cleared.asked,
            killed=cleared.killed,
            left=cleared.left,
            log_problem=problem.strerror if problem else None,
        )


class _Reader:
    """The thread that reads everything, in the order in which it arrives."""

    def __init__(self, guard: GuardLine, log: EngineLog, *, offset_ns: int) -> None:
        self.tap = LineTap()
        self._guard = guard
        self._log = log
        self._offset_ns = offset_ns
        self._give_up, self._say_give_up = os.pipe()
        # A daemon, because an exit of ours must not wait for an engine of theirs.
        self._thread = threading.Thread(target=self._read, name="engine output", daemon=True)
        self._thread.start()

    def join(self, *, timeout_s: float) -> None:
        """Wait for the end of everything that can be read."""
        self._thread.join(timeout=timeout_s)

    def close(self) -> None:
        os.write(self._say_give_up, b".")
        self._thread.join()
        os.close(self._give_up)
        os.close(self._say_give_up)

    def _read(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(_pipe(self._guard.guard.stdout), selectors.EVENT_READ, "stdout")
            selector.register(_pipe(self._guard.guard.stderr), selectors.EVENT_READ, "stderr")
            selector.register(self._guard, selectors.EVENT_READ, "guard")
            selector.register(self._give_up, selectors.EVENT_READ, "give up")
            while len(selector.get_map()) > 1:
                for key, _ in selector.select():
                    if key.data == "give up":
                        return
                    goes_on = (
                        self._guard.take_in()
                        if key.data == "guard"
                        else self._printed(key.data, key.fd)
                    )
                    if not goes_on:
                        selector.unregister(key.fileobj)

    def _printed(self, stream: str, descriptor: int) -> bool:
        """Record what can be read now; False at the end of the stream."""
        data = b""
        with suppress(OSError):
            data = os.read(descriptor, _CHUNK_BYTES)
        at_ns = time.monotonic_ns()
        unix_ns = at_ns + self._offset_ns
        if not data:
            self._log.end(stream, unix_ns=unix_ns)
            self.tap.end(stream, at_ns=at_ns)
            return False
        data = self._log.cleaned(data)
        self._log.write(stream, data, unix_ns=unix_ns)
        self.tap.add(stream, data, at_ns=at_ns)
        return True


def _begun(guard: GuardLine, command: Sequence[str], environment: Mapping[str, str]) -> Started:
    guard.tell(order(list(command), dict(environment)))
    guard.wait_for(lambda: guard.started or guard.refused is not None or guard.is_gone)
    if guard.started is None:
        raise refusal(command[0], guard.refused, path=environment.get("PATH"))
    return guard.started


def _let_go(guard: GuardLine, log: EngineLog, reader: _Reader) -> None:
    guard.hang_up()
    reader.close()
    guard.close()
    log.close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise subprocess.SubprocessError("Popen made no pipe")
    return pipe
