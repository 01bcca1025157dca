"""
Joining `experiment` to the disk: a plan read, its steps proven, its run's folder opened.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.core.records import LEDGER
from firstlight.core.secret_names import is_secret
from firstlight.edges.clock import SystemClock
from firstlight.edges.given_file import read_given
from firstlight.edges.layers import Layers
from firstlight.edges.ledger_file import LedgerFile, locked
from firstlight.edges.run_folder import PLAN_FILE, RunFolder
from firstlight.experiment.going_on import put_aside
from firstlight.experiment.identity import digest
from firstlight.experiment.kept_paths import check_kept
from firstlight.experiment.ledger import ChangedEntry, Ledger, PlanEntry, line, read_ledger
from firstlight.experiment.own_changes import check_own_changes
from firstlight.experiment.plan import PROCESS, Plan
from firstlight.experiment.plan_file import read_plan
from firstlight.experiment.plan_secrets import refuse_secrets
from firstlight.experiment.schedule import Slot, schedule
from firstlight.experiment.settings import check_settings
from firstlight.experiment.step import Step
from firstlight.experiment.steps import steps
from firstlight.manifests.objects import ObjectSet
from firstlight.readers.own_yaml import OwnYaml
from firstlight.wiring.cards import deck
from firstlight.wiring.experimenting.objects import as_kept, kept_objects, objects_beside


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
    if objects is None:
        # A run that was begun with one can still be told and gone on with.
        refuse_secrets(plan, file)
        check_settings(file, settings)
        check_own_changes(plan, file)
    there = (objects or _beside(artefact))(plan, file)
    worked_out = steps(plan, deck(), file, there)
    if objects is None:
        check_kept(plan, worked_out, file)
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
        source = read_given(path)
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
    unwritten: PlanEntry | ChangedEntry | None = None
    """The line that says so, where the ledger on disk has none yet."""


def stored(run: Path) -> OpenRun:
    """
    A run as it stands, for reading.

    Raises:
        BadInput: the folder holds none, or a damaged one.
    """
    folder = RunFolder(path=run.absolute())
    ledger = _ledger(folder)
    if ledger is None:
        raise folder.untold(LEDGER.file)
    meant = ledger.meant
    name = meant.plan if isinstance(meant, ChangedEntry) else PLAN_FILE
    found = prepared(
        str(folder.path / name),
        folder.plan(name),
        meant.settings,
        objects=lambda plan, _: kept_objects(plan, folder),
    )
    if found.digest != meant.digest:
        raise BadInput(
            f"{folder.path / name} is another plan than the run's ({meant.name}), or its steps are "
            "others now",
            remedy="put the plan back that the run was begun with, or run this one in a new folder",
        )
    return OpenRun(folder=folder, prepared=found, ledger=ledger)


def foreseen(run: Path, plan: Prepared | None, *, where: Where | None = None) -> OpenRun:
    """
    A run as it would be carried out; nothing is written.

    Args:
        run: its folder; it need not be there if there is a plan for it.
        plan: what to run; None to go on with what is there.
        where: says in which cluster; None for a plan of a process.

    Raises:
        BadInput: it is of another plan, holds something else, or is no run at all.
    """
    folder = RunFolder(path=run.absolute())
    ledger = _ledger(folder) if run.exists() else None
    if ledger is not None:
        one = stored(_at_home(folder, ledger.plan))
        return one if plan is None else _gone_on(one, plan)
    if plan is None:
        return stored(run)
    if run.exists() and folder.is_foreign(LEDGER.file, objects=as_kept(plan.objects)):
        raise BadInput(
            f"{run} holds something else already", remedy="name a new folder with --into"
        )
    if folder.has_rounds():
        raise folder.untold(LEDGER.file)
    entry = PlanEntry(
        schema=LEDGER.schema,
        digest=plan.digest,
        name=plan.plan.name,
        home=str(folder.path),
        substrate=plan.plan.substrate,
        where=dict(where(plan) if where else {}),
        settings=dict(plan.settings),
        began_ns=SystemClock().unix_ns(),
    )
    return OpenRun(folder=folder, prepared=plan, ledger=Ledger(plan=entry), unwritten=entry)


@contextmanager
def opened(one: OpenRun, plan: Prepared | None) -> Iterator[OpenRun]:
    """
    Within, the run is ours alone and may be carried out.

    Args:
        one: as it was foreseen.
        plan: what it was foreseen with.

    Raises:
        BadInput: it is in use, or somebody was faster.
        OutsideFailed: it cannot be written.
    """
    folder = one.folder
    if plan is not None:
        folder.make()
    with locked(folder.path):
        file = LedgerFile(folder.path)
        ledger = _ledger(folder)
        if ledger is not None:
            if ledger.torn:
                file.cut(ledger.whole_bytes)
            one = foreseen(folder.path, plan)
        elif file.read():
            file.cut(0)
        if one.unwritten is not None:
            _write(one, file, one.unwritten)
        yield stored(folder.path)


def _ledger(folder: RunFolder) -> Ledger | None:
    file = LedgerFile(folder.path)
    data = file.read()
    return None if data is None else read_ledger(str(file.path), data)


def _gone_on(one: OpenRun, plan: Prepared) -> OpenRun:
    """A run that goes on by a plan that is not that of its folder to the letter."""
    before, ledger = one.prepared, one.ledger
    if (plan.source, plan.settings) == (before.source, before.settings):
        return one
    layers = Layers(root=one.folder.layers)
    emptied = [step.number for step in before.steps if not layers.has(step.number)]
    more = plan.digest != before.digest
    try:
        aside = put_aside(
            (before.plan, before.steps),
            (plan.plan, plan.steps),
            ledger,
            emptied=emptied if more and plan.plan.substrate == PROCESS else (),
        )
    except BadInput as error:
        raise BadInput(f"{one.folder.path}: {error.message}", remedy=error.remedy) from error
    entry = ChangedEntry(
        digest=plan.digest,
        name=plan.plan.name,
        settings=dict(plan.settings),
        plan=f"plan-{len(ledger.changes) + 2}.yaml",
        rounds=plan.plan.rounds,
        aside=aside,
        at_ns=SystemClock().unix_ns(),
    )
    after = replace(ledger, entries=(*ledger.entries, entry))
    return OpenRun(folder=one.folder, prepared=plan, ledger=after, unwritten=entry)


def _write(one: OpenRun, file: LedgerFile, entry: PlanEntry | ChangedEntry) -> None:
    """The plan's text first: a ledger without it would be of nothing."""
    source, objects = one.prepared.source, as_kept(one.prepared.objects)
    if isinstance(entry, ChangedEntry):
        one.folder.keep(source, None, name=entry.plan)
    else:
        one.folder.keep(source, objects)
    file.append_bytes(line(entry))


def _at_home(folder: RunFolder, plan: PlanEntry) -> Path:
    """
    The run's folder as it was called when it began: what rounds leave has that path in it.

    Raises:
        BadInput: it is another folder now.
    """
    home = plan.home
    if home is None or plan.substrate != PROCESS:
        return folder.path
    if os.path.realpath(home) != os.path.realpath(folder.path):
        raise BadInput(
            f"{folder.path} was {home} when its run began, and caches written there have that "
            "path in their keys, so rounds from here on would be others",
            remedy=f"move it back to {home} and resume, or run the plan in a new folder; "
            "`firstlight experiment report` tells it where it is",
        )
    return Path(home)
