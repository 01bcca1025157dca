"""
Joining `experiment` to the disk: a plan read, its steps proven, its run's folder opened.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.core.records import LEDGER
from firstlight.core.secret_names import is_secret
from firstlight.edges.clock import SystemClock
from firstlight.edges.ledger_file import LedgerFile, locked
from firstlight.edges.run_folder import RunFolder
from firstlight.experiment.identity import digest
from firstlight.experiment.ledger import Ledger, PlanEntry, line, read_ledger
from firstlight.experiment.plan import PROCESS, Plan, read_plan
from firstlight.experiment.schedule import Slot, schedule
from firstlight.experiment.step import Step
from firstlight.experiment.steps import steps
from firstlight.manifests.objects import ObjectSet
from firstlight.readers.own_yaml import OwnYaml
from firstlight.wiring.cards import deck
from firstlight.wiring.experimenting_objects import (
    forget_objects,
    keep_objects,
    kept_objects,
    objects_beside,
)

SUBSTRATE = PROCESS


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A plan that can be run: every step is proven to be one change."""

    source: bytes
    """The file."""
    settings: Mapping[str, str]
    plan: Plan
    steps: tuple[Step, ...]
    slots: tuple[Slot, ...]
    digest: str
    objects: ObjectSet | None
    """Those of its base; None for a plan of a process."""


Objects = Callable[[Plan, OwnYaml], ObjectSet | None]
"""Reads the objects that a plan's base names."""


def _beside(artefact: str) -> Objects:
    return lambda plan, file: objects_beside(plan, file, Path(artefact).parent)


def prepared(
    artefact: str, source: bytes, settings: Mapping[str, str], *, objects: Objects | None = None
) -> Prepared:
    """
    A plan worked out; nothing is run.

    Args:
        artefact: what to call it in an error.
        source: the file.
        settings: what `${NAME}` in it stands for.
        objects: reads the objects of its base; None where they lie beside it.

    Raises:
        BadInput: it is no plan, or a step is not one change; the sentence says the line.
    """
    if secret := sorted(filter(is_secret, settings)):
        raise BadInput(
            f"{secret[0]} is the name of a secret, and settings are written into the run's ledger",
            remedy="put it into the environment of firstlight: the engine has that too",
        )
    plan, file = read_plan(artefact, source, settings)
    there = (objects or _beside(artefact))(plan, file)
    worked_out = steps(plan, deck(), file, there)
    return Prepared(
        source=source,
        settings=dict(settings),
        plan=plan,
        steps=worked_out,
        slots=schedule(plan, worked_out),
        digest=digest(plan, worked_out),
        objects=there,
    )


def prepared_file(path: Path, settings: Mapping[str, str]) -> Prepared:
    """
    The same from a file.

    Raises:
        BadInput: as `prepared`, or it cannot be read.
    """
    try:
        source = path.read_bytes()
    except OSError as broken:
        raise BadInput(
            f"{path} cannot be read: {broken.strerror}", remedy="name the file of a plan"
        ) from broken
    return prepared(str(path), source, settings)


Where = Callable[[Prepared], Mapping[str, str]]
"""Says for the ledger which cluster a plan is run in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run folder with its plan and what was run of it."""

    folder: RunFolder
    prepared: Prepared
    ledger: Ledger


def stored(run: Path) -> OpenRun:
    """
    A run as it stands, for reading.

    Raises:
        BadInput: the folder holds none, or a damaged one.
    """
    folder = RunFolder(path=run.absolute())
    ledger = _ledger(folder)
    if ledger is None:
        raise BadInput(
            f"{run} holds no run of a plan: it has no {LEDGER.file}",
            remedy="name a folder that `firstlight experiment run` made with --into",
        )
    source = folder.plan()
    found = prepared(
        str(folder.path / "plan.yaml"),
        source,
        ledger.plan.settings,
        objects=lambda plan, _: kept_objects(plan, folder.path),
    )
    _check_same(run, found, ledger)
    return OpenRun(folder=folder, prepared=found, ledger=ledger)


@contextmanager
def opened(run: Path, plan: Prepared | None, *, where: Where | None = None) -> Iterator[OpenRun]:
    """
    Within, the run is ours alone and may be carried out.

    Args:
        run: its folder; made if there is a plan for it.
        plan: what to run; None to go on with what is there.
        where: says in which cluster; None for a plan of a process.

    Raises:
        BadInput: it is in use, is of another plan, or is no run at all.
        OutsideFailed: it cannot be written.
    """
    folder = RunFolder(path=run.absolute())
    if plan is None:
        stored(run)
    else:
        folder.make()
    with locked(folder.path):
        file = LedgerFile(folder.path)
        ledger = _ledger(folder)
        if ledger is None and plan is not None:
            forget_objects(folder, plan.objects)
            if folder.is_foreign(LEDGER.file):
                raise BadInput(
                    f"{run} holds something else already",
                    remedy="name a new folder with --into",
                )
            ledger = _begun(folder, file, plan, where(plan) if where else {})
        elif ledger is not None and ledger.torn:
            file.cut(ledger.whole_bytes)
        if plan is not None and ledger is not None:
            _check_same(run, plan, ledger)
        yield stored(run)


def _ledger(folder: RunFolder) -> Ledger | None:
    file = LedgerFile(folder.path)
    data = file.read()
    return None if data is None else read_ledger(str(file.path), data)


def _begun(folder: RunFolder, file: LedgerFile, plan: Prepared, where: Mapping[str, str]) -> Ledger:
    """The plan's text first: a ledger without it would be of nothing."""
    folder.keep_plan(plan.source)
    keep_objects(folder, plan.objects)
    entry = PlanEntry(
        schema=LEDGER.schema,
        digest=plan.digest,
        name=plan.plan.name,
        substrate=plan.plan.substrate,
        where=dict(where),
        settings=dict(plan.settings),
        began_ns=SystemClock().unix_ns(),
    )
    if file.read():
        file.cut(0)
    file.append_bytes(line(entry))
    return Ledger(plan=entry)


def _check_same(run_: Path, plan: Prepared, ledger: Ledger) -> None:
    if plan.digest != ledger.plan.digest:
        raise BadInput(
            f"{run_} is the run of another plan ({ledger.plan.name}), or its steps are others now",
            remedy="name a new folder with --into; rounds of two plans are not mixed",
        )
