"""
Joining `experiment` to this host: a plan read, its steps proven, its rounds carried out.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.records import LEDGER
from firstlight.core.secret_names import is_secret
from firstlight.core.units import NS_PER_S
from firstlight.edges.clock import SystemClock
from firstlight.edges.http_polls import HttpPolls
from firstlight.edges.interrupts import Interrupts
from firstlight.edges.layers import Layers
from firstlight.edges.ledger_file import LedgerFile, locked
from firstlight.edges.run_folder import RunFolder
from firstlight.experiment.identity import digest
from firstlight.experiment.ledger import Entry, Ledger, PlanEntry, line, read_ledger
from firstlight.experiment.plan import Plan, read_plan
from firstlight.experiment.ports import Progress
from firstlight.experiment.running import Course, carry_out
from firstlight.experiment.schedule import Slot, schedule
from firstlight.experiment.steps import Step, steps
from firstlight.measure.command import server_address
from firstlight.measure.failures import port_taken
from firstlight.wiring.cards import deck
from firstlight.wiring.experimenting_rounds import ProcessRounds

SUBSTRATE = "process"
_PORT_WITHIN_NS = NS_PER_S
_ENGINE_GONE_WITHIN_S = 20.0


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


def prepared(artefact: str, source: bytes, settings: Mapping[str, str]) -> Prepared:
    """
    A plan worked out; nothing is run.

    Args:
        artefact: what to call it in an error.
        source: the file.
        settings: what `${NAME}` in it stands for.

    Raises:
        BadInput: it is no plan, or a step is not one change; the sentence says the line.
    """
    if secret := sorted(filter(is_secret, settings)):
        raise BadInput(
            f"{secret[0]} is the name of a secret, and settings are written into the run's ledger",
            remedy="put it into the environment of firstlight: the engine has that too",
        )
    plan, file = read_plan(artefact, source, settings)
    worked_out = steps(plan, deck(), file)
    return Prepared(
        source=source,
        settings=dict(settings),
        plan=plan,
        steps=worked_out,
        slots=schedule(plan, worked_out),
        digest=digest(plan, worked_out),
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
    found = prepared(str(folder.path / "plan.yaml"), source, ledger.plan.settings)
    _check_same(run, found, ledger)
    return OpenRun(folder=folder, prepared=found, ledger=ledger)


@contextmanager
def opened(run: Path, plan: Prepared | None) -> Iterator[OpenRun]:
    """
    Within, the run is ours alone and may be carried out.

    Args:
        run: its folder; made if there is a plan for it.
        plan: what to run; None to go on with what is there.

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
            if folder.is_foreign(LEDGER.file):
                raise BadInput(
                    f"{run} holds something else already",
                    remedy="name a new folder with --into",
                )
            ledger = _begun(folder, file, plan)
        elif ledger is not None and ledger.torn:
            file.cut(ledger.whole_bytes)
        if plan is not None and ledger is not None:
            _check_same(run, plan, ledger)
        yield stored(run)


def run(one: OpenRun, *, progress: Progress, finished: Progress) -> Ledger:
    """
    Carry out what is left of it.

    Args:
        one: opened.
        progress: told what is being done.
        finished: told a line for each round that is done.

    Raises:
        OutsideFailed: a port is taken, or something cannot be written.
    """
    layers = Layers(root=one.folder.layers)
    _wait_for_the_last_engine(layers)
    _refuse_taken_ports(one.prepared.steps)
    file = LedgerFile(one.folder.path)
    clock = SystemClock()
    course = Course(
        steps=one.prepared.steps,
        slots=one.prepared.slots,
        attempts=one.prepared.plan.attempts,
        diary=_Diary(file),
        rounds=ProcessRounds(
            folder=one.folder, plan=one.prepared.plan, layers=layers, now_ns=clock.unix_ns
        ),
        now_ns=clock.unix_ns,
        progress=progress,
        finished=finished,
    )
    with Interrupts().raising():
        ledger = carry_out(course, one.ledger)
        if ledger.stopped is None:
            layers.remove()
    return ledger


class _Diary:
    def __init__(self, file: LedgerFile) -> None:
        self._file = file

    def append(self, entry: Entry) -> None:
        self._file.append_bytes(line(entry))


def _ledger(folder: RunFolder) -> Ledger | None:
    file = LedgerFile(folder.path)
    data = file.read()
    return None if data is None else read_ledger(str(file.path), data)


def _begun(folder: RunFolder, file: LedgerFile, plan: Prepared) -> Ledger:
    """The plan's text first: a ledger without it would be of nothing."""
    folder.keep_plan(plan.source)
    entry = PlanEntry(
        schema=LEDGER.schema,
        digest=plan.digest,
        name=plan.plan.name,
        substrate=SUBSTRATE,
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


def _wait_for_the_last_engine(layers: Layers) -> None:
    """After a kill the engine that was on is being ended; it still holds its port."""
    left = layers.wait_until_unused(seconds=_ENGINE_GONE_WITHIN_S)
    if left:
        raise OutsideFailed(
            f"an engine of this run is still there (process {', '.join(map(str, left))})",
            remedy="end it, then `firstlight experiment resume`",
        )


def _refuse_taken_ports(all_steps: Sequence[Step]) -> None:
    urls = {server_address(step.setup.command, url=None).url for step in all_steps}
    for url in sorted(urls):
        if HttpPolls().port(url, timeout_ns=_PORT_WITHIN_NS).ok:
            raise port_taken(url)
