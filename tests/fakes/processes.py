"""
Running the fake engine, and seeing that nothing of it is left.

Every process that a test starts carries a text of its own among its arguments;
afterwards the whole process table is searched for it.
"""

import socket
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_FAKE = Path(__file__).with_name("fake_engine.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeEngine:
    """A command line for the fake, with a port of its own."""

    port: int
    marker: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def command(self, *hazards: str) -> tuple[str, ...]:
        return (*self.unnamed(), "--port", str(self.port), *hazards)

    def unnamed(self, *hazards: str) -> tuple[str, ...]:
        """Without saying on which port."""
        return (sys.executable, "-S", "-B", str(_FAKE), "--marker", self.marker, *hazards)


@contextmanager
def a_fake_engine() -> Iterator[FakeEngine]:
    """A fake to start; at the end none of its processes may be left."""
    engine = FakeEngine(port=free_port(), marker=f"firstlight-test-{uuid.uuid4().hex}")
    yield engine
    assert [] == left_over(engine.marker)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def left_over(marker: str) -> list[str]:
    """The command lines that hold the marker, but for zombies, which have none."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in line:
                found.append(f"{entry.name}: {line.replace(bytes(1), b' ').decode()}")
    return found


def wait_until_gone(marker: str, *, seconds: float = 5) -> list[str]:
    """Who is left once the time is up, or nobody sooner."""
    until = time.monotonic() + seconds
    while (left := left_over(marker)) and time.monotonic() < until:
        time.sleep(0.02)
    return left
