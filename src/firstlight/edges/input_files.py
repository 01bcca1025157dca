"""
Artefacts as people hand them over: files, folders, standard input, compressed or not.

Nothing is read into memory whole: a log may be a hundred megabytes and more.
"""

import bz2
import errno
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from firstlight.core.errors import BadInput

if TYPE_CHECKING:
    from io import BufferedReader

CHUNK_BYTES = 1024 * 1024
STDIN = "-"
_PACKED: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    b"\x1f\x8b": lambda raw: cast("BinaryIO", gzip.open(raw)),  # noqa: SIM115
    b"BZh": lambda raw: cast("BinaryIO", bz2.open(raw)),  # noqa: SIM115
    b"\xfd7zXZ\x00": lambda raw: cast("BinaryIO", lzma.open(raw)),  # noqa: SIM115
}
_TAR, _TAR_AT = b"ustar", 257
_LOGS = ("*.log", "*.log.*", "*.txt", "*.out", "*.err", "*.json", "*.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """One artefact to read: a path, or standard input."""

    name: str
    """As evidence will call it."""
    path: Path | None
    """None for standard input."""

    def chunks(self, *, allow_empty: bool = False) -> Iterator[bytes]:
        """Its bytes, unpacked, a piece at a time.

        Raises:
            BadInput: it cannot be read, is empty, or is damaged where it is compressed.
        """
        empty = True
        for chunk in _pieces(self):
            empty = False
            yield chunk
        if empty and not allow_empty:
            raise BadInput(
                f"{self.name} is empty",
                remedy="give the log of the engine's container: `kubectl logs POD --timestamps`",
            )


def find_inputs(given: str) -> list[InputFile]:
    """The artefacts that one argument names.

    Args:
        given: a file, a folder (its log files, in order of name), or `-`.

    Raises:
        BadInput: nothing is there, or nothing in it looks like a log.
    """
    if given == STDIN:
        return [InputFile(name=STDIN, path=None)]
    path = Path(given)
    try:
        if path.is_dir():
            return _in_folder(given, path)
        if path.exists():
            return [InputFile(name=given, path=path)]
    except OSError as e:
        raise BadInput(f"{given} cannot be read: {e.strerror}", remedy="check the path") from e
    raise BadInput(f"{given} does not exist", remedy="check the path, or pipe the log in with `-`")


def _in_folder(given: str, folder: Path) -> list[InputFile]:
    found = sorted({p for pattern in _LOGS for p in folder.glob(pattern) if p.is_file()})
    if not found:
        raise BadInput(
            f"the folder {given} holds no log",
            remedy="give a file, or a folder with *.log or *.txt files",
        )
    return [InputFile(name=str(p), path=p) for p in found]


def _pieces(file: InputFile) -> Iterator[bytes]:
    try:
        with _opened(file) as source:
            yield from _until_end(source)
    except EOFError as e:
        raise BadInput(
            f"{file.name} is compressed and ends too early", remedy="fetch it again"
        ) from e
    except (OSError, lzma.LZMAError, zlib.error) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise BadInput(f"{file.name} cannot be read: {reason}", remedy="check the file") from e


@contextmanager
def _opened(file: InputFile) -> Iterator[BinaryIO]:
    """The artefact, unpacked where its first bytes say so.

    It is opened once: what a pipe gave (`explain <(kubectl logs POD)`) is gone.
    """
    with ExitStack() as stack:
        if file.path is not None:
            raw = stack.enter_context(file.path.open("rb"))
        elif sys.stdin is not None:
            raw = cast("BufferedReader", sys.stdin.buffer)
        else:
            raise OSError(errno.EBADF, "standard input is closed")
        head = raw.peek(_TAR_AT + len(_TAR))
        if head[_TAR_AT:].startswith(_TAR):
            raise BadInput(
                f"{file.name} is a tar archive", remedy="unpack it, and give a log of it"
            )
        opener = next((o for magic, o in _PACKED.items() if head.startswith(magic)), None)
        yield stack.enter_context(opener(raw)) if opener else raw


def _until_end(source: BinaryIO) -> Iterator[bytes]:
    while chunk := source.read(CHUNK_BYTES):
        yield chunk
