"""
One round of a plan as a process on this host: `measure` on prepared layers.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.effects import Effect, EffectState
from firstlight.core.errors import OutsideFailed
from firstlight.core.records import SERVING, WAKE
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.edges.layers import Layers
from firstlight.edges.page_cache import drop_page_cache
from firstlight.edges.run_folder import RunFolder
from firstlight.edges.run_store import ROUND_FILE, is_round
from firstlight.edges.serving_check import serving_check
from firstlight.edges.sleep_cycle import sleep_cycle
from firstlight.edges.stored_round import read_round
from firstlight.experiment.plan import Plan
from firstlight.experiment.ports import Progress, Taken
from firstlight.experiment.schedule import COLD, Purpose, Slot
from firstlight.experiment.schedule import WAKE as WAKE_UP
from firstlight.experiment.serving import Served, read_served
from firstlight.experiment.settings import in_layers
from firstlight.experiment.setup import Setup
from firstlight.experiment.steps import Step
from firstlight.experiment.waking import as_start, read_woken
from firstlight.measure.order import Reached
from firstlight.measure.record import INTERRUPTED
from firstlight.techniques.effect import effect
from firstlight.wiring.explaining import explain_folder
from firstlight.wiring.measuring import measure_once

_ANSWER_WITHIN_NS = 120 * NS_PER_S
_SLEEP_LEVEL = 1
OWN_HAS_NO_SIGN = "a change of one's own has no sign"


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
        setup = self._here(step.setup)
        measured = measure_once(
            setup.words,
            into=self.folder.rounds,
            label=slot.label(step),
            progress=progress,
            environment={**os.environ, **setup.environment},
            timeout_ns=round(self.plan.timeout_s * NS_PER_S),
            after_answer=lambda reached: self._asked_more(reached, slot),
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

    def _asked_more(self, reached: Reached, slot: Slot) -> Mapping[str, Mapping[str, object]]:
        """The wake-up where the round is one, then the serving check."""
        found: dict[str, Mapping[str, object]] = {}
        if is_woken(slot):
            found[WAKE.file] = sleep_cycle(
                reached.url,
                model=reached.model,
                api_key=reached.api_key,
                chat=reached.chat,
                level=_SLEEP_LEVEL,
                timeout_ns=_ANSWER_WITHIN_NS,
            )
        if (asked := self.plan.serving_check) is not None:
            found[SERVING.file] = serving_check(
                reached.url,
                model=reached.model,
                api_key=reached.api_key,
                chat=reached.chat,
                prompts=asked.prompts,
                tokens=asked.tokens,
                timeout_ns=_ANSWER_WITHIN_NS,
            )
        return found

    def _taken(self, folder: Path, slot: Slot, step: Step, moments: tuple[int, int]) -> Taken:
        """What came of it, read back from what was written."""
        found = read_back(self.folder, folder, slot)
        shown = shown_effect(step, slot.purpose, found.start)
        return Taken(
            folder=self.folder.name_of(folder),
            outcome="ready" if found.cause is None else "failed",
            cause=found.cause,
            effect=shown.state.value,
            effect_says=shown.says,
            cache=found.start.compile_cache.verdict.value,
            serving=found.served.digest if found.served else None,
            begun_ns=moments[0],
            ended_ns=moments[1],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """One try, from its folder."""

    start: Start
    """The start of the engine, or its wake-up."""
    served: Served | None
    """None where it was not asked."""
    cause: str | None
    """Why it failed; None where it did not."""


def read_back(run: RunFolder, folder: Path, slot: Slot) -> ReadBack:
    """
    What the folder of a round tells.

    Raises:
        BadInput: it is not there, not finished, or damaged.
    """
    stored, start = read_round(folder), explain_folder(folder)
    cause = stored.problem
    if cause is None and stored.outcome != "ready":
        cause = f"it ended as {stored.outcome}"
    served, wake = folder / SERVING.file, folder / WAKE.file
    if is_woken(slot) and cause is None:
        woken = read_woken(str(wake), run.read(wake)) if wake.exists() else None
        cause = "it gave no token, so it was not put to sleep" if woken is None else woken.problem
        start = as_start(start, woken, str(wake))
    return ReadBack(
        start=start,
        served=read_served(str(served), run.read(served)) if served.exists() else None,
        cause=cause,
    )


def is_woken(slot: Slot) -> bool:
    """Whether a round is a wake-up; its fill is a start like any other."""
    return slot.scenario == WAKE_UP and slot.purpose is Purpose.RESULT


def shown_effect(step: Step, purpose: Purpose, start: Start) -> Effect:
    """Whether a start shows the technique of its step at work."""
    if step.card is None:
        says = OWN_HAS_NO_SIGN if step.number else "the baseline is no technique"
        return Effect(technique=step.name, state=EffectState.UNKNOWN, says=says)
    if purpose is Purpose.FILL:
        says = "it fills what the rounds after it read; those show whether that works"
        return Effect(technique=step.name, state=EffectState.UNKNOWN, says=says)
    return effect(step.card, start.signs)
