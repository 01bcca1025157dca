"""
Reports on disk: made whole beside the place, then moved there, so nobody reads half of one.

A report is made again from what was saved, so an older one of the same name is replaced. What
it was made from cannot be made again: where a record of ours lies, nothing is replaced that
is not known to be a report.
"""

from pathlib import Path

from firstlight.core import records
from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.unwritable import writing
from firstlight.edges.whole_file import write_whole

_NO_PLACE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
_RECORDS = frozenset(form.file for form in records.ALL if form.file)
_ENOUGH = 4096
_REPORTS: dict[str, tuple[bytes, ...]] = {
    ".html": (" · firstlight</title>".encode(),),
    ".md": (b"<!-- made by firstlight report -->",),
    ".csv": (b"step,name,scenario,round,",),
    ".svg": (b'class="marks"',),
    ".png": (b"\x89PNG\r\n",),
    ".json": (b'"firstlight.experiment/', b'"firstlight.explain/', b'"traceEvents"'),
}
"""What is in the beginning of each kind of report, by the end of its name."""


def write_over(path: Path, data: bytes) -> None:
    """
    The file, whole or not at all.

    Raises:
        BadInput: the name is no place for a file, or a record of ours is there.
        OutsideFailed: the disk does not take it.
    """
    _refuse_artefacts(path)
    try:
        with writing(path, remedy="give a place that can be written to"):
            write_whole(path, data)
    except OutsideFailed as refused:
        if isinstance(refused.__cause__, _NO_PLACE):
            raise BadInput(
                f"{path} is no place for a file", remedy="name a file in a folder that is there"
            ) from refused
        raise


def _refuse_artefacts(path: Path) -> None:
    """See that nothing is replaced, or taken for a record, that a report is made from."""
    with writing(path, remedy="give a place that can be written to"):
        within = _holds_records(path)
        if path.name in _RECORDS and (within or path.exists()):
            raise BadInput(
                f"{path} is the name of a record of firstlight, which a report is made from",
                remedy="give another name, such as report.json",
            )
        if within and path.is_file() and not _is_report(path):
            raise BadInput(
                f"{path} is there, is no report, and lies among what was measured",
                remedy="give a name that is not there yet, or another folder",
            )


def _holds_records(path: Path) -> bool:
    """Whether a record lies beside a file, or in a folder above it."""
    return any((folder / name).is_file() for folder in path.absolute().parents for name in _RECORDS)


def _is_report(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_ENOUGH)
    return any(mark in head for mark in _REPORTS.get(path.suffix, ()))
