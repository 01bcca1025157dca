"""
The processes of one cluster: started, known again, ended.

They outlive whoever started them: `node.py up` returns, and a test may be
killed. So each is written down with its start time, which tells a process from
a later one with the same number, and each carries a mark in its environment,
which its children inherit and which finds those that nobody wrote down. Signals
go through a descriptor of the process, never to a bare number.
"""

import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from onenode.patience import until

MARK = "FIRSTLIGHT_ONENODE"
# The 22nd field of a process's `stat`; the second is the name and may hold blanks.
START_AFTER_NAME = 19
STATE_AFTER_NAME = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that is this one, and no later one with its number."""

    pid: int
    start_ticks: int

    @classmethod
    def of(cls, pid: int) -> "Process | None":
        """Describe a running process; None when there is none, or it has ended and waits."""
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            return None
        fields = stat.rpartition(b")")[2].split()
        if fields[STATE_AFTER_NAME] in (b"Z", b"X"):
            return None
        return cls(pid=pid, start_ticks=int(fields[START_AFTER_NAME]))

    @classmethod
    def me(cls) -> "Process":
        """Describe the one that asks."""
        found = cls.of(os.getpid())
        assert found is not None  # noqa: S101 - whoever asks is running
        return found

    def runs(self) -> bool:
        """Whether it is still there; an ended child of ours is reaped on the way."""
        # Somebody else's child is reaped by whoever it belongs to.
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)
        return Process.of(self.pid) == self

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this process or to none."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        try:
            if Process.of(self.pid) == self:
                signal.pidfd_send_signal(descriptor, number)
        except ProcessLookupError:
            return
        finally:
            os.close(descriptor)

    def end(self, *, grace_s: float = 5.0) -> None:
        """Ask it to end, and make it."""
        self.signal(signal.SIGTERM)
        if not until(lambda: not self.runs(), timeout_s=grace_s):
            self.kill()

    def kill(self) -> None:
        """End it without asking."""
        self.signal(signal.SIGKILL)
        until(lambda: not self.runs(), timeout_s=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Processes:
    """Processes by name, written down in one folder, with a log each in another."""

    records: Path
    logs: Path
    mark: str

    def start(
        self, name: str, command: Sequence[str | Path], environment: Mapping[str, str] | None = None
    ) -> Process:
        """Start a process of its own session; its words are appended to its log."""
        self.records.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(parents=True, exist_ok=True)
        arguments = [str(part) for part in command]
        how = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        pid = os.posix_spawnp(
            arguments[0],
            arguments,
            {**os.environ, **(environment or {}), MARK: self.mark},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(self.log(name)), how, 0o644),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
        )
        started = Process.of(pid) or Process(pid=pid, start_ticks=-1)
        record = json.dumps({"pid": started.pid, "start_ticks": started.start_ticks})
        self._record(name).write_text(record, encoding="utf-8")
        return started

    def log(self, name: str) -> Path:
        """Where a process's output goes."""
        return self.logs / f"{name}.log"

    def find(self, name: str) -> Process | None:
        """Give a process by name; None when it is not running."""
        try:
            said = json.loads(self._record(name).read_bytes())
        except (OSError, ValueError):
            return None
        process = Process(pid=said["pid"], start_ticks=said["start_ticks"])
        return process if process.runs() else None

    def names(self) -> list[str]:
        """List what was started and not ended, running or not."""
        return sorted(path.stem for path in self.records.glob("*.json"))

    def end(self, name: str, *, grace_s: float = 5.0) -> None:
        """End a process by name and forget it."""
        process = self.find(name)
        if process is not None:
            process.end(grace_s=grace_s)
        self._record(name).unlink(missing_ok=True)

    def kill(self, name: str) -> None:
        """End a process by name without asking, and forget it."""
        process = self.find(name)
        if process is not None:
            process.kill()
        self._record(name).unlink(missing_ok=True)

    def marked(self) -> Iterator[Process]:
        """Find every process that carries this cluster's mark, written down or not."""
        sought = f"{MARK}={self.mark}".encode()
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal():
                continue
            try:
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            process = Process.of(int(folder.name))
            if process is not None and sought in environment.split(b"\0"):
                yield process

    def _record(self, name: str) -> Path:
        return self.records / f"{name}.json"
