"""
Registers and facts on disk; a register is written once and never over another.
"""

from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.given_file import open_given
from firstlight.readers.manifest_text import LARGEST_BYTES


def read_kept(path: Path) -> bytes:
    """
    A file that somebody keeps; not more than one byte over what a reader takes.

    Raises:
        BadInput: it cannot be read.
    """
    try:
        with open_given(path) as file:
            return file.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as e:
        why = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        raise BadInput(
            f"{path} cannot be read: {why}", remedy="give a file that is there and may be read"
        ) from e


def write_new(path: Path, text: str) -> None:
    """
    A new file.

    Raises:
        BadInput: something is there already, or the folder is not.
        OutsideFailed: the disk does not take it.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:
                path.unlink(missing_ok=True)
                raise
    except FileExistsError as e:
        raise BadInput(
            f"{path} is there already, and what somebody keeps is not written over",
            remedy="give another name",
        ) from e
    except (FileNotFoundError, NotADirectoryError, ValueError) as e:
        raise BadInput(f"{path} is in no folder that is there", remedy="make the folder") from e
    except OSError as e:
        raise OutsideFailed(
            f"{path} cannot be written: {e.strerror}", remedy="give a place that can be written to"
        ) from e
