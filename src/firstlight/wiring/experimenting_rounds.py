"""
One round of a plan as a process on this host: `measure` on prepared layers.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.edges.layers import Layers
from firstlight.edges.page_cache import drop_page_cache
from firstlight.edges.run_folder import RunFolder
from firstlight.edges.run_store import ROUND_FILE, is_round
from firstlight.edges.stored_round import read_round
from firstlight.experiment.plan import Plan
from firstlight.experiment.ports import Progress, Taken
from firstlight.experiment.schedule import COLD, Slot
from firstlight.experiment.settings import in_layers
from firstlight.experiment.setup import Setup
from firstlight.experiment.step import Step
from firstlight.measure.record import INTERRUPTED
from firstlight.wiring.experimenting_answers import asked_more
from firstlight.wiring.experimenting_back import ReadBack, taken, with_answers
from firstlight.wiring.explaining import explain_stored
from firstlight.wiring.measuring import measure_once


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessRounds:
    """Rounds of one plan, on this host."""

    folder: RunFolder
    plan: Plan
    layers: Layers
    now_ns: Callable[[], int]

    def left_behind(self, slot: Slot, step: Step, known: frozenset[str]) -> Taken | None:
        """A try that was measured to its end and not written down; others are put aside."""
        found: Taken | None = None
        for folder in self.folder.unrecorded(slot.label(step), known):
            round_ = read_round(folder) if is_round(folder) else None
            if round_ is None or found is not None or round_.problem == INTERRUPTED:
                self.folder.put_aside(folder)
            else:
                ended_ns = (folder / ROUND_FILE).stat().st_mtime_ns
                found = self._taken(folder, slot, step, (round_.anchor_unix_ns, ended_ns))
        return found

    def carried_out(self, slot: Slot, step: Step, progress: Progress) -> Taken:
        """One try."""
        begun_ns = self.now_ns()
        if not slot.empties_node and not self.layers.has(step.number):
            raise OutsideFailed(
                f"what the fill of {step.name} wrote is gone: it was in {self.layers.root}",
                remedy="start the plan anew in another folder; what was run stays as it is",
            )
        self.layers.prepare(step.number, empties_node=slot.empties_node)
        setup = self._here(step.process)
        measured = measure_once(
            setup.words,
            into=self.folder.rounds,
            label=slot.label(step),
            progress=progress,
            environment={**os.environ, **setup.environment},
            timeout_ns=round(self.plan.timeout_s * NS_PER_S),
            after_answer=lambda reached: asked_more(
                self.plan,
                slot,
                reached.url,
                model=reached.model,
                api_key=reached.api_key,
                chat=reached.chat,
            ),
            page_cache=drop_page_cache() if slot.scenario == COLD else "left as it was",
        )
        folder = Path(measured.result.folder)
        return self._taken(folder, slot, step, (begun_ns, self.now_ns()))

    def _here(self, setup: Setup) -> Setup:
        """The setup with the layers' paths in it."""
        paths = {"container": self.layers.container, "node": self.layers.node}
        return Setup(
            command=tuple(in_layers(word, **paths) for word in setup.words),
            environment={n: in_layers(v, **paths) for n, v in setup.environment.items()},
        )

    def _taken(self, folder: Path, slot: Slot, step: Step, moments: tuple[int, int]) -> Taken:
        """What came of it, read back from what was written."""
        name = self.folder.name_of(folder)
        return taken(read_back(self.folder, folder, slot), name, slot, step, moments)


def read_back(run: RunFolder, folder: Path, slot: Slot, *, parts: bool = True) -> ReadBack:
    """
    What the folder of a round tells.

    Args:
        run: the run.
        folder: of the round.
        slot: which it is.
        parts: whether to name the parts of its phases; all else is the same without.

    Raises:
        BadInput: it is not there, not finished, or damaged.
    """
    stored = read_round(folder)
    start = explain_stored(stored, parts=parts)
    cause = stored.problem
    if cause is None and stored.outcome != "ready":
        cause = f"it ended as {stored.outcome}"
    return with_answers(run, folder, slot, start, cause)
