"""
Reports on disk: made whole beside the place, then moved there, so nobody reads half of one.

A report is made again from what was saved, so an older one of the same name is replaced.
"""

import os
from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed


def write_over(path: Path, data: bytes) -> None:
    """
    The file, whole or not at all.

    Raises:
        BadInput: the name is no place for a file.
        OutsideFailed: the disk does not take it.
    """
    beside = path.with_name(f".{path.name}.unfinished-{os.getpid()}")
    try:
        try:
            beside.write_bytes(data)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError) as e:
        raise BadInput(
            f"{path} is no place for a file", remedy="name a file in a folder that is there"
        ) from e
    except OSError as e:
        raise OutsideFailed(
            f"{path} cannot be written: {e.strerror}", remedy="give a place that can be written to"
        ) from e
