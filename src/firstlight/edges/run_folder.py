"""
The folder of one run of a plan: what lies where in it.

    RUN/plan.yaml, ledger.jsonl, rounds/LABEL/round-NN, interrupted/, layers/

A round's folder that the ledger does not have is either one that was measured to its end, or
one that a kill cut off. The latter is put aside, whole, so that the next try has its number.
"""

import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.edges.unwritable import writing

PLAN_FILE, ROUNDS, INTERRUPTED, LAYERS = "plan.yaml", "rounds", "interrupted", "layers"
_UNFINISHED_PLAN = f".{PLAN_FILE}.unfinished"
_BEFORE_THE_LEDGER = {".lock", PLAN_FILE, _UNFINISHED_PLAN}
"""What a run that ended before its first line may have left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFolder:
    """One run."""

    path: Path
    """Absolute."""

    @property
    def rounds(self) -> Path:
        return self.path / ROUNDS

    @property
    def layers(self) -> Path:
        return self.path / LAYERS

    def make(self) -> None:
        """
        Make it, where it is not there.

        Raises:
            OutsideFailed: it cannot be made.
        """
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)

    def is_foreign(self, ledger: str) -> bool:
        """Whether it holds something, and no ledger of ours."""
        with writing(self.path):
            names = {entry.name for entry in self.path.iterdir()}
        return ledger not in names and not names <= _BEFORE_THE_LEDGER

    def keep_plan(self, data: bytes) -> None:
        """Put the plan's text beside what will come of it."""
        beside = self.path / _UNFINISHED_PLAN
        with writing(self.path / PLAN_FILE):
            try:
                with beside.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                beside.rename(self.path / PLAN_FILE)
            finally:
                beside.unlink(missing_ok=True)

    def plan(self) -> bytes:
        """
        The plan's text.

        Raises:
            BadInput: there is none.
        """
        return self.read(self.path / PLAN_FILE)

    def read(self, path: Path) -> bytes:
        """
        A file of it.

        Raises:
            BadInput: it cannot be read.
        """
        try:
            return path.read_bytes()
        except OSError as broken:
            raise BadInput(
                f"{path} cannot be read: {broken.strerror}",
                remedy="name a folder that `firstlight experiment run` made with --into",
            ) from broken

    def unrecorded(self, label: str, known: frozenset[str]) -> tuple[Path, ...]:
        """The folders of rounds of a label that are not among those known, in their order."""
        folder = self.rounds / label
        if not folder.is_dir():
            return ()
        found = (path for path in folder.iterdir() if self.name_of(path) not in known)
        return tuple(sorted(found))

    def name_of(self, folder: Path) -> str:
        """How the ledger calls the folder of a round."""
        return str(folder.absolute().relative_to(self.path))

    def put_aside(self, folder: Path) -> None:
        """Move the folder of a round that was cut off out of the way."""
        with writing(self.path / INTERRUPTED):
            aside = self.path / INTERRUPTED
            aside.mkdir(exist_ok=True)
            name = f"{folder.parent.name}-{folder.name}"
            target = aside / name
            if target.exists():
                target = aside / f"{name}-{uuid.uuid4().hex[:8]}"
            folder.rename(target)
