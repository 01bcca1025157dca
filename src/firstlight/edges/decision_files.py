"""
Registers and facts on disk; a register is written once and never over another.
"""

from importlib.resources import files
from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed

_LARGEST_BYTES = 4_000_000


def fact_meanings() -> str:
    """The table of facts that comes with firstlight."""
    return (files("firstlight.decisions") / "facts.yaml").read_text(encoding="utf-8")


def read_kept(path: Path) -> str:
    """
    The text of a file that somebody keeps.

    Raises:
        BadInput: it cannot be read, or is no text.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_BYTES + 1)
    except (OSError, ValueError) as e:
        why = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        raise BadInput(
            f"{path} cannot be read: {why}", remedy="give a file that is there and may be read"
        ) from e
    if len(data) > _LARGEST_BYTES:
        raise BadInput(
            f"{path} is larger than {_LARGEST_BYTES} bytes",
            remedy="give a file that somebody keeps by hand",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise BadInput(f"{path} is no text in UTF-8", remedy="save it as UTF-8") from e


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
            f"{path} is there already, and what somebody decided is not written over",
            remedy="give another name",
        ) from e
    except (FileNotFoundError, NotADirectoryError, ValueError) as e:
        raise BadInput(f"{path} is in no folder that is there", remedy="make the folder") from e
    except OSError as e:
        raise OutsideFailed(
            f"{path} cannot be written: {e.strerror}", remedy="give a place that can be written to"
        ) from e
