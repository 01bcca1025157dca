"""
From a process's own time to activities with evidence.

The evidence names the file and the line, and says in words what was done, for
how long in all, and by which process: an activity may be one of several pieces
of the interval it quotes.
"""

from collections.abc import Iterable, Iterator

from firstlight.core.activities import Activity
from firstlight.core.evidence import Evidence
from firstlight.core.units import seconds
from firstlight.readers.probe_lines import Interval, ProbeFile
from firstlight.readers.probe_names import path
from firstlight.readers.probe_nesting import Piece
from firstlight.readers.probe_roles import Process


def activities_of(
    file: ProbeFile, process: Process, pieces: Iterable[Piece], offset_ns: int
) -> Iterator[Activity]:
    """The pieces of one process as activities on the axis of the offset."""
    for piece in pieces:
        yield Activity(
            path=path(process.role, piece),
            depth=process.depth,
            start_ns=piece.start_ns + offset_ns,
            end_ns=piece.end_ns + offset_ns,
            evidence=(
                Evidence(
                    artefact=file.name,
                    line=piece.interval.line,
                    text=_words(piece.interval, process),
                ),
            ),
        )


def _words(interval: Interval, process: Process) -> str:
    what = interval.name if interval.kind != "import" else f"import {interval.detail}"
    detail = f" ({interval.detail})" if interval.kind != "import" and interval.detail else ""
    lasted = (
        f"{seconds(interval.end_ns - interval.start_ns):.3f} s" if interval.finished else "unended"
    )
    rank = "" if process.rank is None else f" {process.rank}"
    return f"{what}{detail} {lasted} ({process.role}{rank}, pid {process.pid})"
