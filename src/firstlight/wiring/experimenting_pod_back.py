"""
A round of a plan as a pod, read back from its folder; no cluster is asked for it.
"""

from pathlib import Path

import msgspec

from firstlight.core.errors import BadInput
from firstlight.core.records import MEASURED, SERVING, WAKE
from firstlight.core.starts import CacheVerdict, CompileCache, Outcome, Start
from firstlight.edges.input_files import find_inputs
from firstlight.edges.run_folder import RunFolder
from firstlight.experiment.schedule import Slot
from firstlight.measure.pod.round import BROKEN_OFF, INTERRUPTED
from firstlight.wiring.experimenting_back import ReadBack, with_answers
from firstlight.wiring.explaining import explain_files

_OF_NO_START = (SERVING.file, WAKE.file)


class _Anchor(msgspec.Struct, frozen=True, kw_only=True):
    unix_ns: int


class _Problem(msgspec.Struct, frozen=True, kw_only=True):
    message: str


class PodTold(msgspec.Struct, frozen=True, kw_only=True):
    """What measured.json says of how a round went."""

    outcome: str
    anchor: _Anchor
    scenario: str | None = None
    node: str | None = None
    problem: _Problem | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_cut_off(self) -> bool:
        """Whether whoever measured it was told to end, or broke."""
        return self.problem is not None and self.problem.message.startswith(
            (INTERRUPTED, BROKEN_OFF)
        )

    @property
    def cause(self) -> str | None:
        """Why it failed; None where it came up and was what it was to be."""
        if self.problem is not None:
            return self.problem.message
        if self.outcome != "ready":
            return f"it ended as {self.outcome}"
        if self.scenario is None:
            return next((n for n in self.notes if n.startswith("not ")), "it was another scenario")
        return None


def read_back_pod(run: RunFolder, folder: Path, slot: Slot) -> ReadBack:
    """
    What the folder of a round tells.

    Raises:
        BadInput: it is not there, not finished, or damaged.
    """
    told = told_of(folder)
    return with_answers(run, folder, slot, _start(folder, told), told.cause)


def _start(folder: Path, told: PodTold) -> Start:
    """The start in a bundle; one of which nothing is known where there never was a pod."""
    files = [file for file in find_inputs(str(folder)) if Path(file.name).name not in _OF_NO_START]
    starts = explain_files(files, None)
    came_up = [start for start in starts if start.outcome is Outcome.READY]
    if found := (came_up or starts)[-1:]:
        return found[0]
    return Start(
        source=str(folder),
        engine=None,
        engine_version=None,
        outcome=Outcome.FAILED,
        failure=None,
        scenario=told.scenario,
        total=None,
        phases=(),
        facts={},
        sleeps=(),
        compile_cache=CompileCache(
            verdict=CacheVerdict.UNKNOWN, reason="there is no log of it", proof="none"
        ),
    )


def told_of(folder: Path) -> PodTold:
    """
    What is recorded of a round.

    Raises:
        BadInput: it is not finished, or damaged.
    """
    path = folder / MEASURED.file
    try:
        return msgspec.json.decode(path.read_bytes(), type=PodTold)
    except OSError as broken:
        raise BadInput(
            f"{path} cannot be read: {broken.strerror}", remedy="resume the run"
        ) from broken
    except msgspec.DecodeError as broken:
        raise BadInput(f"{path} is damaged: {broken}", remedy="measure again") from broken
