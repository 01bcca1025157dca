"""
Which TCP ports a set of processes listens on, as the kernel tells it.

A listening socket is a line of /proc/<pid>/net/tcp (of that process's own
network namespace) whose inode is among the process's descriptors. It says that
something listens, not what: an engine also has ports of its own, for its workers.
"""

import ipaddress
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LISTENING = "0A"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Listener:
    """One address that somebody listens on."""

    port: int
    host: str


def listeners(pids: Iterable[int]) -> tuple[Listener, ...]:
    """Every address that one of the processes listens on, by port; each once."""
    found: set[Listener] = set()
    for pid in pids:
        inodes = set(_sockets(pid))
        if inodes:
            found.update(at for inode, at in _table(pid) if inode in inodes)
    return tuple(sorted(found))


def _sockets(pid: int) -> Iterator[str]:
    descriptors: list[Path] = []
    with suppress(OSError):
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    for descriptor in descriptors:
        with suppress(OSError):
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                yield target[len("socket:[") : -1]


def _table(pid: int) -> Iterator[tuple[str, Listener]]:
    for name in ("tcp", "tcp6"):
        rows: list[str] = []
        with suppress(OSError):
            rows = Path(f"/proc/{pid}/net/{name}").read_text("ascii").splitlines()[1:]
        for row in rows:
            fields = row.split()
            if fields[3] == _LISTENING:
                host, _, port = fields[1].partition(":")
                yield fields[9], Listener(port=int(port, 16), host=_address(host))


def _address(digits: str) -> str:
    """The kernel prints each 32-bit word in the byte order of the machine."""
    words = (bytes.fromhex(digits[i : i + 8]) for i in range(0, len(digits), 8))
    raw = b"".join(word[::-1] if sys.byteorder == "little" else word for word in words)
    return str(ipaddress.ip_address(raw))
