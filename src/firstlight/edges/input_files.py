"""
Artefacts as people hand them over: files, folders, standard input, compressed or not.

Nothing is read into memory whole: a log may be a hundred megabytes and more.
"""

import bz2
import errno
import gzip
import lzma
import re
import sys
import tarfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from firstlight.core.errors import BadInput
from firstlight.edges.given_file import open_given

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
_ENDINGS = ("log", "txt", "out", "err", "json", "jsonl", "yaml", "yml")
_ARTEFACT = re.compile(rf"\.(?:{'|'.join(_ENDINGS)})(?:\.[\w-]+)?$")
"""`vllm.log`, and `vllm.log.1` or `vllm.log.gz` too."""
_MOST_FILES = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """One artefact to read: a path, or standard input."""

    name: str
    """As evidence will call it."""
    path: Path | None
    """None for standard input."""
    member: tarfile.TarInfo | None = None
    """Its place inside the archive at the path; None where the path is no archive."""

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


def find_inputs(given: str, *, without: Collection[Path] = ()) -> list[InputFile]:
    """The artefacts that one argument names.

    Args:
        given: a file, a folder (what is in it, in order of name), an archive, or `-`.
        without: folders that somebody else reads; where there are such, nothing else need be.

    Raises:
        BadInput: nothing is there, or nothing in it looks like a log.
    """
    if given == STDIN:
        return [InputFile(name=STDIN, path=None)]
    path = Path(given)
    try:
        if path.is_dir():
            return _in_folder(given, path, without)
        if path.is_file() and _is_archive(path):
            return _in_archive(given, path)
        if path.exists():
            return [InputFile(name=given, path=path)]
    except OSError as e:
        raise BadInput(f"{given} cannot be read: {e.strerror}", remedy="check the path") from e
    raise BadInput(f"{given} does not exist", remedy="check the path, or pipe the log in with `-`")


def _in_folder(given: str, folder: Path, without: Collection[Path]) -> list[InputFile]:
    """Every artefact in a folder and the folders in it, in order of name."""
    found = sorted(
        p
        for p in folder.rglob("*")
        if _ARTEFACT.search(p.name) and p.is_file() and not any(w in p.parents for w in without)
    )
    if not found and not without:
        raise BadInput(
            f"the folder {given} holds no log and no cluster object",
            remedy="give a file, or a folder with *.log, *.txt, *.json or *.yaml files",
        )
    _not_too_many(given, len(found))
    return [InputFile(name=str(p), path=p) for p in found]


def _in_archive(given: str, path: Path) -> list[InputFile]:
    """Every artefact in a tar archive. Nothing is unpacked to disk, whatever names it holds."""
    try:
        with tarfile.open(path) as archive:
            found = [m for m in archive if m.isfile() and _ARTEFACT.search(m.name)]
    except (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError) as e:
        raise BadInput(
            f"{given} is a damaged tar archive: {e}", remedy="fetch or make it again"
        ) from e
    if not found:
        raise BadInput(
            f"the archive {given} holds no log and no cluster object",
            remedy="give a bundle of `firstlight capture`, or an archive of *.log and *.json files",
        )
    _not_too_many(given, len(found))
    found.sort(key=lambda member: member.name)
    return [InputFile(name=f"{given}:{m.name}", path=path, member=m) for m in found]


def _not_too_many(given: str, files: int) -> None:
    if files > _MOST_FILES:
        raise BadInput(
            f"{given} holds {files} files, which is no bundle",
            remedy="give the folder of one start, or the files of it",
        )


def _is_archive(path: Path) -> bool:
    """Whether the file is a tar archive, compressed or not."""
    try:
        with ExitStack() as stack:
            raw = stack.enter_context(open_given(path))
            head = raw.peek(_TAR_AT + len(_TAR))
            opener = next((o for magic, o in _PACKED.items() if head.startswith(magic)), None)
            if opener is not None:
                head = stack.enter_context(opener(raw)).read(_TAR_AT + len(_TAR))
            return head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        return False


def _pieces(file: InputFile) -> Iterator[bytes]:
    try:
        with _opened(file) as source:
            yield from _until_end(source)
    except EOFError as e:
        raise BadInput(
            f"{file.name} is compressed and ends too early", remedy="fetch it again"
        ) from e
    except (OSError, lzma.LZMAError, zlib.error, tarfile.TarError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise BadInput(f"{file.name} cannot be read: {reason}", remedy="check the file") from e


@contextmanager
def _opened(file: InputFile) -> Iterator[BinaryIO]:
    """The artefact, unpacked where its first bytes say so.

    It is opened once: what a pipe gave (`explain <(kubectl logs POD)`) is gone.
    """
    with ExitStack() as stack:
        if file.path is not None and file.member is not None:
            archive = stack.enter_context(tarfile.open(file.path))
            inner = archive.extractfile(file.member)
            if inner is None:
                raise OSError(errno.ENOENT, "it is no file")
            raw = cast("BufferedReader", stack.enter_context(inner))
        elif file.path is not None:
            raw = stack.enter_context(open_given(file.path))
        elif sys.stdin is not None:
            raw = cast("BufferedReader", sys.stdin.buffer)
        else:
            raise OSError(errno.EBADF, "standard input is closed")
        head = raw.peek(_TAR_AT + len(_TAR))
        if head[_TAR_AT:].startswith(_TAR):
            raise BadInput(
                f"{file.name} is a tar archive that came through a pipe",
                remedy="give it as a file, by its name",
            )
        opener = next((o for magic, o in _PACKED.items() if head.startswith(magic)), None)
        yield stack.enter_context(opener(raw)) if opener else raw


def _until_end(source: BinaryIO) -> Iterator[bytes]:
    while chunk := source.read(CHUNK_BYTES):
        yield chunk
