"""
Two folders that stand for a container's own layer and for the disk of its node.

What an engine writes into its container goes with it; what it writes to its node stays for
the next one there. On a host both are folders: `container` is empty before every round,
`node` is kept. Each step has a node of its own, and all of them are seen at one and the same
path, for compile caches hold absolute paths in their keys: `node` is a link that is put on
another folder in one move.

    layers/container, layers/node -> nodes/02, layers/nodes/01, layers/nodes/02
"""

import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from firstlight.edges.unwritable import writing

_CONTAINER, _NODE, _NODES, _GONE = "container", "node", "nodes", "gone"
_LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """The folders, below one that is nobody else's."""

    root: Path
    """Absolute."""

    @property
    def container(self) -> str:
        """What stands for the container's own layer."""
        return str(self.root / _CONTAINER)

    @property
    def node(self) -> str:
        """What stands for the node's disk."""
        return str(self.root / _NODE)

    def has(self, step: int) -> bool:
        """Whether a step's node is there."""
        return (self.root / _NODES / f"{step:02d}").is_dir()

    def prepare(self, step: int, *, empties_node: bool) -> None:
        """
        An empty container, on the node of a step.

        Raises:
            OutsideFailed: a folder cannot be made or emptied.
        """
        with _emptying(self.root):
            nodes = self.root / _NODES
            nodes.mkdir(parents=True, exist_ok=True)
            own = nodes / f"{step:02d}"
            self._empty(self.root / _CONTAINER)
            if empties_node or not own.is_dir():
                self._empty(own)
            beside = self.root / f".{_NODE}.{uuid.uuid4().hex}"
            beside.symlink_to(f"{_NODES}/{own.name}")
            beside.rename(self.root / _NODE)
            self._forget()

    def remove(self) -> None:
        """
        Take them all away: what they hold is no record.

        Raises:
            OutsideFailed: they cannot be removed.
        """
        with _emptying(self.root):
            if self.root.is_dir():
                shutil.rmtree(self.root)

    def wait_until_unused(self, *, seconds: float) -> tuple[int, ...]:
        """Wait until no process has them in its environment; the ids of those that still have."""
        until_s = time.monotonic() + seconds
        while (users := tuple(self._users())) and time.monotonic() < until_s:
            time.sleep(_LOOK_EVERY_S)
        return users

    def _users(self) -> Iterator[int]:
        ours = os.fsencode(f"{self.root}/")
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with suppress(OSError):
                    if ours in (entry / "environ").read_bytes():
                        yield int(entry.name)

    def _empty(self, folder: Path) -> None:
        """An empty folder in its place; the old one goes in one move, and is removed then."""
        if folder.exists():
            gone = self.root / _GONE
            gone.mkdir(exist_ok=True)
            folder.rename(gone / uuid.uuid4().hex)
        folder.mkdir()

    def _forget(self) -> None:
        """Remove what was moved away, now or before somebody was killed, and half-made links."""
        for link in self.root.glob(f".{_NODE}.*"):
            link.unlink()
        if (self.root / _GONE).is_dir():
            shutil.rmtree(self.root / _GONE)


def _emptying(path: Path) -> AbstractContextManager[None]:
    remedy = "see that nothing writes there and that it can be written"
    return writing(path, done="emptied or made", remedy=remedy)
