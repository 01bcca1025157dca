"""
The process between us and the engine, so that nothing outlives a measurement.

An engine is a tree: a server, an engine core, workers, compile helpers. Any of
them may leave its process group, fork twice, or ignore SIGTERM, and we may be
killed ourselves in a way no handler sees. The guard makes all of these one
case. It is a small process of its own, in a session of its own, and a child
subreaper: whoever in the tree loses a parent becomes its child, so whatever is
left is below it, always. It does nothing until it is told to, or until the
socket to us closes because we are gone; then it empties the tree.

What we write, one line each: first the order (JSON: argv, env), later `term`
(SIGTERM to the command) and `clear SECONDS` (give what is left that long to end
by itself, that long again after SIGTERM, then SIGKILL). What the guard writes is
one JSON object a line: `started` or `refused`, `ended`, `cleared`.

Only the guard signals and only the guard reaps, so a pid it holds cannot become
somebody else's in between. Should the guard itself be killed, the kernel kills
the command (PR_SET_PDEATHSIG), and `engine_process` sees to its session.

Started with `python -I -S`, on the standard library and `process_table` alone.
"""

import ctypes
import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from firstlight.edges.process_table import Process, descendants, send

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LOOK_EVERY_S = 0.02
_UNKILLABLE_S = 5.0
"""A process stuck in the kernel dies when the kernel lets go of it; we stop waiting."""
_REAPED_WITHIN_S = 1.0
_CLEANING_NS = 1_000_000_000
_CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# Python ignores these from birth, and an exec would hand that on to the engine.
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
_CHUNK_BYTES = 1 << 16


def main(socket_fd: int) -> None:
    """Serve one engine over an inherited socket, then end."""
    os.set_inheritable(socket_fd, False)  # noqa: FBT003 - the signature of os
    with socket.socket(fileno=socket_fd) as line:
        _Guard(line).serve()


class _Guard:
    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._unread = b""
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._leader = 0
        self._leader_ended = False
        self._owner_gone = False
        self._wake, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        os.set_blocking(self._wake, False)
        for number in (*_CAUGHT, signal.SIGCHLD):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)

    def serve(self) -> None:
        self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        order = self._order()
        if order is None or not self._start(order):
            return
        while True:
            self._look(timeout_s=None)
            if self._owner_gone:
                self._clear(settle_s=0)
                return
            for words in self._commands():
                if words[0] == "term" and not self._leader_ended:
                    os.kill(self._leader, signal.SIGTERM)
                if words[0] == "clear":
                    self._clear(settle_s=float(words[1]))
                    return

    def _order(self) -> dict[str, Any] | None:
        """The first line; None where the owner was gone before it was whole."""
        while b"\n" not in self._unread:
            chunk = self._line.recv(_CHUNK_BYTES)
            if not chunk:
                return None
            self._unread += chunk
        first, _, self._unread = self._unread.partition(b"\n")
        order: dict[str, Any] = json.loads(first)
        return order

    def _start(self, order: dict[str, Any]) -> bool:
        argv = [word.encode("latin-1") for word in order["argv"]]
        env = {k.encode("latin-1"): v.encode("latin-1") for k, v in order["env"].items()}
        read, write = os.pipe()
        owner, at_ns = os.getpid(), time.monotonic_ns()
        self._leader = os.fork()
        if not self._leader:
            self._become(argv, env, owner=owner, complain_to=write)
        os.close(write)
        # The end is closed by the exec itself: this read returns when it has happened.
        complaint = os.read(read, 64)
        os.close(read)
        if complaint:
            os.waitpid(self._leader, 0)
            self._say(event="refused", errno=int(complaint))
            return False
        # The engine's pipes must end when the engine does, not when we do.
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        self._say(event="started", pid=self._leader, at_ns=at_ns, running_ns=time.monotonic_ns())
        return True

    def _become(
        self, argv: list[bytes], env: dict[bytes, bytes], *, owner: int, complain_to: int
    ) -> NoReturn:
        """In the child: a session of its own, our death its death, then the command."""
        try:
            os.setsid()
            self._libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
            if os.getppid() == owner:
                for number in (*_CAUGHT, *_IGNORED, signal.SIGCHLD):
                    signal.signal(number, signal.SIG_DFL)
                os.execvpe(argv[0], argv, env)  # noqa: S606 - the user's command, no shell
        except OSError as refused:
            os.write(complain_to, str(refused.errno or 0).encode())
        finally:
            os._exit(127)

    def _clear(self, *, settle_s: float) -> None:
        """Empty the tree: wait, ask, then kill; and say who needed which."""
        if self._leader_ended:
            self._until_empty(settle_s)
        asked = self._left() if settle_s else []
        if asked:
            send(signal.SIGTERM, asked)
            self._until_empty(settle_s)
        killed = self._kill()
        # Whoever is dead and not reaped yet is not in the table, and may be the command.
        until_s = time.monotonic() + _REAPED_WITHIN_S
        while not (self._leader_ended or self._left()) and time.monotonic() < until_s:
            self._look(timeout_s=_LOOK_EVERY_S)
        self._say(
            event="cleared",
            asked=[row.known_as for row in asked],
            killed=[row.known_as for row in killed],
            left=[row.known_as for row in self._left()],
        )

    def _kill(self) -> list[Process]:
        """SIGKILL to everybody; to those who clean up after the others only once they are alone."""
        killed: dict[tuple[int, int], Process] = {}
        alone_ns = time.monotonic_ns() + _CLEANING_NS

        def kill() -> None:
            nonlocal alone_ns
            left = self._left()
            victims = [row for row in left if not _cleans_up(row)]
            if victims:
                alone_ns = time.monotonic_ns() + _CLEANING_NS
            elif time.monotonic_ns() > alone_ns:
                victims = left
            for row in victims:
                killed[row.pid, row.start_ticks] = row
            send(signal.SIGKILL, victims)

        self._until_empty(_UNKILLABLE_S, meanwhile=kill)
        return list(killed.values())

    def _until_empty(self, seconds: float, *, meanwhile: Callable[[], None] | None = None) -> None:
        """Wait until nobody is left, at most so long; an owner's death ends all patience."""
        until = time.monotonic() + seconds
        while self._left() and (meanwhile or not self._owner_gone):
            if meanwhile:
                meanwhile()
            if time.monotonic() >= until:
                return
            self._look(timeout_s=_LOOK_EVERY_S)

    def _left(self) -> list[Process]:
        self._reap()
        return descendants(os.getpid())

    def _look(self, *, timeout_s: float | None) -> None:
        """Sleep until a child ends, the owner writes or goes, or the time is up."""
        spoken = self._line.fileno()
        watched = [self._wake] if self._owner_gone else [self._wake, spoken]
        ready, _, _ = select.select(watched, [], [], timeout_s)
        if self._wake in ready:
            with suppress(BlockingIOError):
                os.read(self._wake, _CHUNK_BYTES)
        if spoken in ready:
            chunk = b""
            with suppress(OSError):
                chunk = self._line.recv(_CHUNK_BYTES)
            self._owner_gone = not chunk
            self._unread += chunk
        self._reap()

    def _commands(self) -> list[list[str]]:
        *lines, self._unread = self._unread.split(b"\n")
        return [line.decode().split() for line in lines if line]

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid == self._leader:
                    at_ns = time.monotonic_ns()
                    self._leader_ended = True
                    left = len(descendants(os.getpid()))
                    code = os.waitstatus_to_exitcode(status)
                    self._say(event="ended", code=code, at_ns=at_ns, left=left)

    def _say(self, **event: object) -> None:
        # An owner that is gone is noticed where we read.
        with suppress(OSError):
            self._line.sendall(json.dumps(event).encode() + b"\n")


def _cleans_up(row: Process) -> bool:
    """
    Python's own keeper of shared memory: it ignores SIGTERM, outlives the others on
    purpose, and gives back what they held in /dev/shm.
    """
    with suppress(OSError):
        return b"multiprocessing.resource_tracker" in Path(f"/proc/{row.pid}/cmdline").read_bytes()
    return False
