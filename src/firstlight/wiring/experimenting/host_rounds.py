"""
One round of a plan as a process on this host: `measure` on prepared layers.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.page_cache import LEFT
from firstlight.core.scenarios import COLD
from firstlight.core.shortened import shortened
from firstlight.core.starts import Outcome
from firstlight.core.units import NS_PER_S
from firstlight.edges.layers import Layers
from firstlight.edges.page_cache import drop_page_cache
from firstlight.edges.run_folder import Moments, RunFolder
from firstlight.edges.run_store import ROUND_FILE, is_round
from firstlight.edges.stored_round import read_round
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.kept_paths import keeps_something
from firstlight.experiment.plan import Plan
from firstlight.experiment.ports import Progress, Taken
from firstlight.experiment.schedule import Slot
from firstlight.experiment.serving import without_token
from firstlight.experiment.settings import in_layers
from firstlight.experiment.step import Step
from firstlight.wiring.experimenting.answers import asked_more
from firstlight.wiring.experimenting.round_back import ReadBack, taken, with_answers
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
        """
        A try that was measured to its end and not written down; others are put aside.

        Raises:
            BadInput: what is recorded of it is damaged.
            OutsideFailed: another cannot be put aside.
        """
        found = self.folder.left_behind(slot.label(step), known, _moments)
        return None if found is None else self._taken(found[0], slot, step, found[1])

    def carried_out(self, slot: Slot, step: Step, progress: Progress) -> Taken:
        """
        One try.

        Raises:
            OutsideFailed: a layer is gone or cannot be made, or the disk refuses.
        """
        begun_ns = self.now_ns()
        is_kept = keeps_something(step) and not slot.empties_node
        if is_kept and not self.layers.has(step.number):
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
            environment={**_without(os.environ, setup.unset), **setup.environment},
            timeout_ns=round(self.plan.timeout_s * NS_PER_S),
            after_answer=lambda reached: asked_more(
                self.plan,
                slot,
                reached.url,
                model=reached.model,
                api_key=reached.api_key,
                chat=reached.chat,
            ),
            page_cache=drop_page_cache() if slot.scenario == COLD else LEFT,
        )
        folder = Path(measured.result.folder)
        return self._taken(folder, slot, step, (begun_ns, self.now_ns()))

    def _here(self, setup: CommandSetup) -> CommandSetup:
        """The setup with the layers' paths in it."""
        paths = {"container": self.layers.container, "node": self.layers.node}
        return CommandSetup(
            command=tuple(in_layers(word, **paths) for word in setup.words),
            environment={n: in_layers(v, **paths) for n, v in setup.environment.items()},
            unset=setup.unset,
        )

    def _taken(self, folder: Path, slot: Slot, step: Step, moments: Moments) -> Taken:
        """What came of it, read back from what was written."""
        name = self.folder.name_of(folder)
        return taken(read_back(self.folder, folder, slot), name, slot, step, moments)


def _without(environment: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """What a step takes away is not there either where firstlight itself has it."""
    return {name: value for name, value in environment.items() if name not in names}


def _moments(folder: Path) -> Moments | None:
    """When a round began and ended; None of one that was cut off."""
    found = read_round(folder) if is_round(folder) else None
    if found is None or found.cut_off:
        return None
    return found.anchor_unix_ns, (folder / ROUND_FILE).stat().st_mtime_ns


def read_back(run: RunFolder, folder: Path, slot: Slot, *, parts: bool = True) -> ReadBack:
    """
    What the folder of a round tells.

    Args:
        run: the run.
        folder: of the round.
        slot: which it is.
        parts: whether to name the parts of its phases; all else is the same without.

    Raises:
        BadInput: it is not there, not finished, damaged, or the record of another round.
    """
    stored = read_round(folder)
    if stored.label != folder.parent.name:
        raise BadInput(
            f"its {ROUND_FILE} is of {shortened(stored.label)}",
            remedy="put back the folder that was there",
        )
    start = explain_stored(stored, parts=parts)
    cause = stored.problem
    if cause is None and stored.outcome != Outcome.READY:
        cause = f"it ended as {stored.outcome}"
    gave_none = stored.outcome == Outcome.READY and stored.first_token_ns is None
    silent = without_token(stored.first_token_problem) if gave_none else None
    return with_answers(run, folder, slot, start, cause=cause, silent=silent)
