"""
Reports on disk: made whole beside the place, then moved there, so nobody reads half of one.

A report is made again from what was saved, so an older one of the same name is replaced.
"""

from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.unfinished import unfinished
from firstlight.edges.unwritable import writing

_NO_PLACE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


def write_over(path: Path, data: bytes) -> None:
    """
    The file, whole or not at all.

    Raises:
        BadInput: the name is no place for a file.
        OutsideFailed: the disk does not take it.
    """
    beside = unfinished(path)
    try:
        with writing(path, remedy="give a place that can be written to"):
            try:
                beside.write_bytes(data)
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)
    except OutsideFailed as refused:
        if isinstance(
            refused.__cause__, FileNotFoundError | NotADirectoryError | IsADirectoryError
        ):
            raise BadInput(
                f"{path} is no place for a file", remedy="name a file in a folder that is there"
            ) from refused
        raise
