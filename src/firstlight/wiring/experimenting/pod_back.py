"""
A round of a plan as a pod, read back from its folder; no cluster is asked for it.
"""

from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.core.records import MEASURED, SERVING, WAKE
from firstlight.core.starts import CacheVerdict, CompileCache, Outcome, Start
from firstlight.edges.given_file import read_given
from firstlight.edges.input_files import find_inputs
from firstlight.edges.run_folder import RunFolder
from firstlight.experiment.schedule import Slot
from firstlight.experiment.serving import without_token
from firstlight.readers.measured import Measured, read_measured
from firstlight.wiring.experimenting.round_back import ReadBack, with_answers
from firstlight.wiring.explaining import explain_files

_OF_NO_START = (SERVING.file, WAKE.file)


def read_back_pod(run: RunFolder, folder: Path, slot: Slot) -> ReadBack:
    """
    What the folder of a round tells.

    Raises:
        BadInput: it is not there, not finished, or damaged.
    """
    measured = measured_in(folder)
    if measured is None:
        raise BadInput(
            f"{folder} holds a round that was not finished: it has no {MEASURED.file}",
            remedy="resume the run",
        )
    why = measured.first_token_problem
    return with_answers(
        run,
        folder,
        slot,
        _start(folder, measured),
        cause=cause(measured),
        silent=None if why is None else without_token(why),
    )


def measured_in(folder: Path) -> Measured | None:
    """
    What is recorded of a round; None where it was not finished.

    Raises:
        BadInput: it cannot be read, or is damaged.
        NewerRecord: a newer firstlight wrote it.
    """
    path = folder / MEASURED.file
    try:
        found = read_measured(read_given(path))
    except FileNotFoundError:
        return None
    except OSError as broken:
        raise BadInput(
            f"{path} cannot be read: {broken.strerror}", remedy="check its permissions"
        ) from broken
    if found is None or found.outcome is None or found.began_ns is None:
        raise BadInput(
            f"{path} is damaged: it does not say how a start went", remedy="measure again"
        )
    return found


def cause(measured: Measured) -> str | None:
    """Why a round failed; None where it came up and was what it was to be."""
    if measured.problem is not None:
        return measured.problem
    if measured.outcome != Outcome.READY:
        return f"it ended as {measured.outcome}"
    if measured.scenario is None:
        return measured.not_as_asked or "it was another scenario"
    return None


def _start(folder: Path, measured: Measured) -> Start:
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
        scenario=measured.scenario,
        total=None,
        phases=(),
        facts={},
        sleeps=(),
        compile_cache=CompileCache(
            verdict=CacheVerdict.UNKNOWN, reason="there is no log of it", proof="none"
        ),
    )
