"""
Carrying out a run that was opened, wherever its plan is to be run.

What is going to happen is said first; nothing of it happens before it is carried out.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from firstlight.core.errors import OutsideFailed
from firstlight.edges.clock import SystemClock
from firstlight.edges.layers import Layers
from firstlight.edges.ledger_file import LedgerFile
from firstlight.edges.run_folder import RunFolder
from firstlight.edges.unwritable import Unwritable
from firstlight.experiment.estimate import estimate
from firstlight.experiment.ledger import Entry, Ledger, RoundEntry, line
from firstlight.experiment.next_slot import next_slot
from firstlight.experiment.plan import GATEWAY, PROCESS
from firstlight.experiment.ports import Progress, Rounds
from firstlight.experiment.running import Course, carry_out
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.experimenting.gate_beside import require_gateway
from firstlight.wiring.experimenting.on_host import process_rounds
from firstlight.wiring.experimenting.opening import OpenRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Undertaking:
    """What is left of a run, ready to be carried out."""

    says: tuple[str, ...]
    """What will be done to others' things, in sentences; empty where nothing is."""
    carried_out: Callable[[OpenRun, Progress, Progress], Ledger]
    """
    The run once it is opened; told what is being done, and a line for each round that is done.

    Raises:
        OutsideFailed: a port is taken, a cluster refuses, or something cannot be written.
    """


@contextmanager
def undertaking(
    one: OpenRun, access: ClusterAccess, *, say: Callable[[str], None]
) -> Iterator[Undertaking]:
    """
    A run, to be carried out within.

    Args:
        one: as it is foreseen.
        access: to the cluster, where the plan is of one.
        say: told what was put back and what could not be, and how long it will take.

    Raises:
        BadInput: it is of another cluster, or needs what is not installed.
        OutsideFailed: the cluster cannot be reached, or a right is missing.
    """
    attempts = one.prepared.plan.attempts
    if next_slot(one.prepared.slots, one.ledger, attempts=attempts) is None:
        yield Undertaking(says=(), carried_out=lambda now, *_: _finished(now))
    elif one.prepared.plan.substrate == PROCESS:
        if one.prepared.plan.wake_through == GATEWAY:
            require_gateway()

        def on_this_host(now: OpenRun, progress: Progress, finished: Progress) -> Ledger:
            with process_rounds(now) as rounds, _resumable(now.folder):
                ledger = _carried_out(now, rounds, progress, finished, say)
                if ledger.stopped is None:
                    rounds.layers.remove()
                return ledger

        yield Undertaking(says=(), carried_out=on_this_host)
    else:
        # The client of a cluster comes with an extra, and most plans need none.
        from firstlight.wiring.experimenting.in_cluster import connected  # noqa: PLC0415

        with connected(one, access, say=say) as cluster:

            def there(now: OpenRun, progress: Progress, finished: Progress) -> Ledger:
                with cluster.rounds() as rounds, _resumable(now.folder):
                    return _carried_out(now, rounds, progress, finished, say)

            yield Undertaking(says=cluster.says, carried_out=there)


def _finished(one: OpenRun) -> Ledger:
    """Nothing is left to run; a kill after the last round has left its layers."""
    with _resumable(one.folder):
        Layers(root=one.folder.layers).remove()
    return one.ledger


def _carried_out(
    one: OpenRun,
    rounds: Rounds,
    progress: Progress,
    finished: Progress,
    say: Callable[[str], None],
) -> Ledger:
    course = Course(
        steps=one.prepared.steps,
        slots=one.prepared.slots,
        attempts=one.prepared.plan.attempts,
        skips=one.prepared.plan.on_failure == "skip",
        diary=_Diary(one, say),
        rounds=rounds,
        now_ns=SystemClock().unix_ns,
        progress=progress,
        finished=finished,
    )
    return carry_out(course, one.ledger)


@contextmanager
def _resumable(folder: RunFolder) -> Iterator[None]:
    """Where the disk refuses, the way on is this folder again, and not another."""
    try:
        yield
    except Unwritable as refused:
        raise OutsideFailed(
            refused.message,
            remedy="make room there or put its permissions right, then `firstlight experiment "
            f"resume {folder.path}` goes on; no round that was finished is lost",
        ) from refused


class _Diary:
    """The ledger's file; after the first round that came up it is known how long one takes."""

    def __init__(self, one: OpenRun, say: Callable[[str], None]) -> None:
        self._one = one
        self._say = say
        self._file = LedgerFile(one.folder.path)
        self._is_known = any(entry.is_ready for entry in one.ledger.rounds)

    def append(self, entry: Entry) -> None:
        """Written when this returns."""
        self._file.append_bytes(line(entry))
        if self._is_known or not isinstance(entry, RoundEntry) or not entry.is_ready:
            return
        self._is_known = True
        plan, slots = self._one.prepared.plan, self._one.prepared.slots
        left = estimate(plan, slots, (*self._one.ledger.rounds, entry))
        if left.rounds:
            self._say(f"by the first round: {left.words}")
