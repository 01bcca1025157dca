"""
The folder of one run of a plan: what lies where in it.

    RUN/plan.yaml, ledger.jsonl, rounds/LABEL/round-NN, interrupted/, layers/, .lock
    RUN/plan-2.yaml     the plan after it was changed for the first time
    RUN/objects.json    of a plan for a cluster

A round's folder that the ledger does not have is either one that was measured to its end, or
one that a kill cut off. The latter is put aside, whole, so that the next try has its number.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.edges.given_file import read_given
from firstlight.edges.unwritable import writing
from firstlight.edges.whole_file import write_whole

PLAN_FILE, ROUNDS, ASIDE, LAYERS = "plan.yaml", "rounds", "interrupted", "layers"
OBJECTS_FILE = "objects.json"
_HALF = ".{}.unfinished"
_HALVES = tuple(map(_HALF.format, (PLAN_FILE, OBJECTS_FILE)))
Moments = tuple[int, int]
"""When a round began and ended, Unix nanoseconds."""


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

    @property
    def objects(self) -> Path:
        """The objects of a plan for a cluster, as one list."""
        return self.path / OBJECTS_FILE

    def make(self) -> None:
        """
        Make it, where it is not there.

        Raises:
            OutsideFailed: it cannot be made.
        """
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)

    def is_foreign(self, ledger: str, *, objects: bytes | None) -> bool:
        """
        Whether it holds something, and no ledger of ours.

        What a run that was killed before its first line has left is nothing: a lock, a plan,
        halves of files, and the objects of the plan that is to be begun.

        Args:
            ledger: the name of the ledger.
            objects: those of the plan, as they are kept; None for a plan of a process.

        Raises:
            OutsideFailed: it cannot be looked into.
        """
        with writing(self.path):
            names = {one.name for one in self.path.iterdir() if not one.name.startswith(_HALVES)}
            names -= {".lock", PLAN_FILE}
            if OBJECTS_FILE in names and read_given(self.objects) == objects:
                names.remove(OBJECTS_FILE)
        return bool(names) and ledger not in names

    def has_rounds(self) -> bool:
        """
        Whether rounds lie in it, whatever its ledger says.

        Raises:
            OutsideFailed: it cannot be looked into.
        """
        with writing(self.rounds):
            return self.rounds.is_dir() and any(self.rounds.iterdir())

    def untold(self, ledger: str) -> BadInput:
        """What to raise where no line of a ledger says what was run in it."""
        is_there = (self.path / ledger).exists()
        what = f"its {ledger} has not one whole line" if is_there else f"it has no {ledger}"
        if is_there and self.has_rounds():
            return BadInput(
                f"{self.path} has rounds of a run, and {what}",
                remedy="restore it from a copy, or name a new folder with --into",
            )
        return BadInput(
            f"{self.path} holds no run of a plan: {what}",
            remedy="name a folder that `firstlight experiment run` made with --into",
        )

    def keep(self, plan: bytes, objects: bytes | None, *, name: str = PLAN_FILE) -> None:
        """
        Put the plan's text, and its objects, beside what will come of them.

        Args:
            plan: the file.
            objects: a list that kubectl takes too; None for a plan of a process.
            name: what to call the plan's file; another one for a plan that was changed.

        Raises:
            OutsideFailed: they cannot be written.
        """
        self._keep(name, plan)
        if objects is not None:
            self._keep(OBJECTS_FILE, objects)

    def _keep(self, name: str, data: bytes) -> None:
        with writing(self.path / name):
            for half in self.path.glob(f"{_HALF.format(name)}*"):
                half.unlink()
            # What somebody wrote into a plan may be nobody else's business.
            write_whole(self.path / name, data, private=True)

    def plan(self, name: str = PLAN_FILE) -> bytes:
        """
        The plan's text.

        Args:
            name: of its file.

        Raises:
            BadInput: there is none.
        """
        return self.read(self.path / name)

    def read(self, path: Path) -> bytes:
        """
        A file of it.

        Raises:
            BadInput: it cannot be read.
        """
        try:
            return read_given(path)
        except OSError as broken:
            raise BadInput(
                f"{path} cannot be read: {broken.strerror}",
                remedy="name a folder that `firstlight experiment run` made with --into",
            ) from broken

    def tries(self, label: str) -> tuple[Path, ...]:
        """The folders of all rounds of a label, in their order."""
        folder = self.rounds / label
        return tuple(sorted(folder.iterdir())) if folder.is_dir() else ()

    def left_behind(
        self, label: str, known: frozenset[str], moments: Callable[[Path], Moments | None]
    ) -> tuple[Path, Moments] | None:
        """
        A round that was measured to its end and not written down; others are put aside.

        Args:
            label: of its kind of rounds.
            known: the folders that the ledger has.
            moments: tells of a folder when its round began and ended; None of one that was cut
                off.

        Returns:
            Its folder and its moments; None where there is none.

        Raises:
            OutsideFailed: what was cut off cannot be put aside.
        """
        found: tuple[Path, Moments] | None = None
        for folder in self.tries(label):
            if self.name_of(folder) in known:
                continue
            measured = moments(folder) if found is None else None
            if measured is None:
                self.put_aside(folder)
            else:
                found = folder, measured
        return found

    def name_of(self, folder: Path) -> str:
        """How the ledger calls the folder of a round."""
        return str(folder.absolute().relative_to(self.path))

    def put_aside(self, folder: Path) -> None:
        """
        Move the folder of a round that was cut off out of the way.

        Raises:
            OutsideFailed: it cannot be moved.
        """
        aside = self.path / ASIDE
        with writing(aside):
            aside.mkdir(exist_ok=True)
            name = f"{folder.parent.name}-{folder.name}"
            target = aside / name
            if target.exists():
                target = aside / f"{name}-{uuid.uuid4().hex[:8]}"
            folder.rename(target)
