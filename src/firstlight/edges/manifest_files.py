"""
Manifests as people keep them: a file, a folder of files, standard input.

A folder is read as `kubectl apply -R -f` reads it: every YAML and JSON file in it, in order of
name. Which of them hold objects is not known here.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from firstlight.core.errors import BadInput
from firstlight.edges.given_file import open_given
from firstlight.readers.manifest_text import LARGEST_BYTES

STDIN = "-"
_ENDINGS = frozenset({".yaml", ".yml", ".json"})
_MOST_FILES = 2_000
_GIVE = "give a file, a folder, `-` for standard input, or deployment/NAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestFile:
    """One file's bytes."""

    name: str
    """As sentences will call it."""
    data: bytes
    """Not more than one byte over what a reader takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestFolder:
    """The manifests of a folder."""

    files: tuple[ManifestFile, ...]
    left_out: tuple[str, ...]
    """What has the name of a manifest and holds nothing to read, in sentences."""


def manifest_file(given: str) -> ManifestFile:
    """
    The file that one argument names.

    Args:
        given: a file, or `-`.

    Raises:
        BadInput: nothing is there, or it cannot be read.
    """
    if given == STDIN:
        if sys.stdin is None:
            raise BadInput("standard input is closed", remedy=_GIVE)
        return ManifestFile(name="standard input", data=_read(sys.stdin.buffer))
    with _told(given), open_given(Path(given)) as file:
        return ManifestFile(name=given, data=_read(file))


def manifest_folder(given: str) -> ManifestFolder:
    """
    Every manifest in a folder and the folders in it.

    Raises:
        BadInput: one of them cannot be read, there is none, or there are too many.
    """
    with _told(given):
        found = sorted(_named_so(Path(given)))
        good = [path for path in found if path.is_file()]
        if not good:
            raise BadInput(
                f"the folder {given} holds no manifest",
                remedy="give a folder with *.yaml, *.yml or *.json files",
            )
        if len(good) > _MOST_FILES:
            raise BadInput(
                f"{given} holds {len(good)} YAML and JSON files",
                remedy="give the folder of one workload",
            )
        files = []
        for path in good:
            with open_given(path) as file:
                files.append(ManifestFile(name=str(path), data=_read(file)))
    odd = [f"{path} is left out: {_what(path)}" for path in found if not path.is_file()]
    return ManifestFolder(files=tuple(files), left_out=tuple(odd))


@contextmanager
def _told(given: str) -> Iterator[None]:
    """What the system says of a file, as what is wrong with the input."""
    try:
        yield
    except FileNotFoundError as e:
        raise BadInput(f"{given} does not exist", remedy=_GIVE) from e
    except (OSError, ValueError) as e:
        name = getattr(e, "filename", None) or given
        reason = getattr(e, "strerror", None) or e
        raise BadInput(f"{name} cannot be read: {reason}", remedy="check the path") from e


def _named_so(folder: Path) -> Iterator[Path]:
    """What is named as a manifest is; a folder that cannot be looked into ends it."""
    for at, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(at, name)
            if path.suffix.lower() in _ENDINGS and not name.startswith("."):
                yield path


def _raise(error: OSError) -> None:
    # A walk passes over what it may not see, and the answer would be about the rest of it.
    raise error


def _what(path: Path) -> str:
    return "it is a link to nothing" if path.is_symlink() else "it is no file that can be read"


def _read(file: BinaryIO) -> bytes:
    return file.read(LARGEST_BYTES + 1)
