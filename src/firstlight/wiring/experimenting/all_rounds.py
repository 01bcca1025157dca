"""
All rounds of a run, read back: a thousand of them in seconds.

What names the parts of phases is nine tenths of the work, and parts are told of few rounds
(`in_parts`). So every round is read without them first, and those few again with. Where a step
claims to move a part, all are read with them, and so are the bundles of pods.

Rounds know nothing of one another, so several processes share them. Nothing is kept from one
report to the next: whatever is told was read from the artefacts just now.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.edges.run_folder import RunFolder
from firstlight.experiment.in_parts import in_parts
from firstlight.experiment.ledger import RoundEntry
from firstlight.experiment.plan import PROCESS
from firstlight.experiment.rounds import Round, is_not_cold
from firstlight.experiment.schedule import Slot, schedule
from firstlight.report.json_contract import explanation
from firstlight.wiring.experimenting.host_rounds import read_back
from firstlight.wiring.experimenting.opening import OpenRun
from firstlight.wiring.experimenting.round_back import ReadBack, shown_effect

_WORTH_SHARING = 40
"""Fewer rounds are read sooner than processes are made."""
_AT_ONCE = 25
_MOST_PROCESSES = 8
_FORKS = sys.platform == "linux"
"""Elsewhere a fork may take threads of the system's own along that do not survive it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllRead:
    """What could be read, and a sentence for each that could not."""

    rounds: tuple[Round, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """A line of the ledger."""

    entry: RoundEntry
    slot: Slot
    order: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What one process is to read; it goes there and what is found comes back."""

    run: Path
    folder: Path
    slot: Slot
    of_pod: bool
    parts: bool


_Found = Iterator[ReadBack | str]
"""A round, or why it cannot be read."""
_Reader = Callable[[Sequence[_Task]], _Found]


def all_read(one: OpenRun, meanwhile: Callable[[], object] = lambda: None) -> AllRead:
    """
    Every try of every round.

    Args:
        one: the run.
        meanwhile: loads what else will be needed, while others read.
    """
    tries, notes = _tries(one)
    of_pods = one.prepared.plan.substrate != PROCESS
    parts = of_pods or any("/" in claim for step in one.prepared.steps for claim in step.claims)
    with _reader(len(tries)) as read:
        coming = read([_task(one, one_try, parts=parts) for one_try in tries])
        meanwhile()
        rounds: dict[int, Round] = {}
        for one_try, found in zip(tries, coming, strict=True):
            if isinstance(found, ReadBack):
                rounds[one_try.order] = _round(one, one_try, found, parts=parts)
            else:
                notes.append(f"{one_try.entry.folder} is left out: {found}")
        if not parts:
            told = in_parts(one.prepared.steps, one.prepared.plan.scenarios, [*rounds.values()])
            rounds |= _with_parts(one, [t for t in tries if t.order in told], read)
    return AllRead(rounds=tuple(rounds.values()), notes=tuple(notes))


def _tries(one: OpenRun) -> tuple[list[_Try], list[str]]:
    # Also fills that an earlier version ran and this one would not.
    whole = schedule(one.prepared.plan, one.prepared.steps, every_fill=True)
    slots = {slot.id: slot for slot in whole}
    tries: list[_Try] = []
    notes: list[str] = []
    for order, entry in enumerate(one.ledger.rounds, start=1):
        slot = slots.get(entry.slot)
        if slot is None:
            notes.append(f"{entry.slot} is no round of this plan, and is left out")
        elif entry.label != slot.label(one.prepared.steps[slot.step]):
            notes.append(f"{entry.folder} is left out: that is no folder of the round {slot.id}")
        else:
            tries.append(_Try(entry=entry, slot=slot, order=order))
    return tries, notes


def _with_parts(one: OpenRun, again: Sequence[_Try], read: _Reader) -> dict[int, Round]:
    """Those that are told with their parts, read again."""
    found = read([_task(one, one_try, parts=True) for one_try in again])
    return {
        one_try.order: _round(one, one_try, back, parts=True)
        for one_try, back in zip(again, found, strict=True)
        if isinstance(back, ReadBack)
    }


def _task(one: OpenRun, one_try: _Try, *, parts: bool) -> _Task:
    run = one.folder.path
    return _Task(
        run=run,
        folder=run / one_try.entry.folder,
        slot=one_try.slot,
        of_pod=one.prepared.plan.substrate != PROCESS,
        parts=parts,
    )


def _round(one: OpenRun, one_try: _Try, found: ReadBack, *, parts: bool) -> Round:
    step = one.prepared.steps[one_try.slot.step]
    return Round(
        slot=one_try.slot,
        entry=one_try.entry,
        start=found.start,
        explained=explanation([found.start])["starts"][0],
        effect=shown_effect(step, one_try.slot, found.start),
        served=found.served,
        order=one_try.order,
        parts=parts,
        not_cold=is_not_cold(one_try.slot, step, found.start),
        woken=found.woken,
    )


def _read(task: _Task) -> ReadBack | str:
    run = RunFolder(path=task.run)
    try:
        if task.of_pod:
            from firstlight.wiring.experimenting.pod_back import read_back_pod  # noqa: PLC0415

            return read_back_pod(run, task.folder, task.slot)
        return read_back(run, task.folder, task.slot, parts=task.parts)
    except BadInput as missing:
        return missing.message


@contextmanager
def _reader(rounds: int) -> Iterator[_Reader]:
    """Reads in this process, or in several where there are many rounds."""
    processes = min(_processors(), _MOST_PROCESSES)
    if rounds < _WORTH_SHARING or processes == 1:
        yield lambda tasks: map(_read, tasks)
        return
    way = multiprocessing.get_context("fork" if _FORKS else "spawn")
    with ProcessPoolExecutor(max_workers=processes, mp_context=way) as pool:
        yield lambda tasks: pool.map(_read, tasks, chunksize=_chunk(len(tasks), processes))


def _chunk(tasks: int, processes: int) -> int:
    """Small enough that nobody waits long for the last."""
    return max(1, min(_AT_ONCE, tasks // (2 * processes)))


def _processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
