"""
Which clusters are up on this machine, and what became of their owners.

A cluster's processes outlive a test that is killed. So each cluster is entered
here before its first process starts, with the process that owns it, and every
start first takes down those whose owner is gone. A cluster without an owner was
brought up by hand and stays until it is taken down by hand.

    HOME/up/ID/cluster.json       where its files lie, who owns it
    HOME/up/ID/processes/         one file a process
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from onenode.home import home
from onenode.processes import Process, Processes

ID_DIGITS = 6


def register_folder() -> Path:
    """One place a machine and user, wherever the clusters' own files lie."""
    return home(os.environ) / "up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One cluster that is up, or was when somebody last looked."""

    folder: Path
    state: Path
    kind: str
    owner: Process | None

    @property
    def id(self) -> str:
        """A short name; everything of the cluster that the machine sees is named by it."""
        return self.folder.name

    @property
    def processes(self) -> Processes:
        return Processes(records=self.folder / "processes", logs=self.state / "log", mark=self.id)

    @property
    def abandoned(self) -> bool:
        """Whether its owner ended without taking it down."""
        return self.owner is not None and not self.owner.runs()

    @classmethod
    def make(cls, state: Path, *, kind: str, owned: bool) -> "Entry":
        """Enter a cluster whose files will lie in `state`."""
        state = state.absolute()
        entry = cls(
            folder=register_folder() / id_of(state),
            state=state,
            kind=kind,
            owner=Process.me() if owned else None,
        )
        entry.folder.mkdir(parents=True, exist_ok=True)
        owner = entry.owner
        told = {
            "state": str(state),
            "kind": kind,
            "owner": owner and {"pid": owner.pid, "start_ticks": owner.start_ticks},
        }
        (entry.folder / "cluster.json").write_text(json.dumps(told), encoding="utf-8")
        return entry

    @classmethod
    def read(cls, folder: Path) -> "Entry | None":
        """Read an entry; None when it is gone or half written."""
        try:
            told = json.loads((folder / "cluster.json").read_bytes())
            owner = told["owner"]
            return cls(
                folder=folder,
                state=Path(told["state"]),
                kind=told["kind"],
                owner=owner and Process(pid=owner["pid"], start_ticks=owner["start_ticks"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @classmethod
    def of(cls, state: Path) -> "Entry | None":
        """Give the entry of the cluster in `state`; None when there is none."""
        return cls.read(register_folder() / id_of(state.absolute()))

    def remove(self) -> None:
        """Strike the entry out, when nothing of the cluster is left."""
        shutil.rmtree(self.folder, ignore_errors=True)


def id_of(state: Path) -> str:
    """Name a cluster by where its files lie."""
    return hashlib.sha256(str(state).encode()).hexdigest()[:ID_DIGITS]


def entries() -> Iterator[Entry]:
    """All clusters of this user that are up, or were left."""
    for folder in sorted(register_folder().glob("*")):
        entry = Entry.read(folder)
        if entry is not None:
            yield entry
