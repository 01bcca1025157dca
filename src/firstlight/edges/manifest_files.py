"""
Manifests as people keep them: a file, a folder of files, standard input.

A folder is read as `kubectl apply -R -f` reads it: every YAML and JSON file in it, in order of
name. Which of them hold objects is not known here.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from firstlight.core.errors import BadInput
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


def manifest_files(given: str) -> list[ManifestFile]:
    """
    What one argument names.

    Args:
        given: a file, a folder, or `-`.

    Raises:
        BadInput: nothing is there, it cannot be read, or a folder holds no manifest.
    """
    if given == STDIN:
        if sys.stdin is None:
            raise BadInput("standard input is closed", remedy=_GIVE)
        return [ManifestFile(name="standard input", data=_read(sys.stdin.buffer))]
    path = Path(given)
    try:
        if not path.is_dir():
            with path.open("rb") as file:
                return [ManifestFile(name=given, data=_read(file))]
        return list(_in_folder(given, path))
    except FileNotFoundError as e:
        raise BadInput(f"{given} does not exist", remedy=_GIVE) from e
    except OSError as e:
        raise BadInput(
            f"{e.filename or given} cannot be read: {e.strerror or e}", remedy="check the path"
        ) from e


def _in_folder(given: str, folder: Path) -> Iterator[ManifestFile]:
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in _ENDINGS
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    if not found:
        raise BadInput(
            f"the folder {given} holds no manifest",
            remedy="give a folder with *.yaml, *.yml or *.json files",
        )
    if len(found) > _MOST_FILES:
        raise BadInput(
            f"{given} holds {len(found)} YAML and JSON files",
            remedy="give the folder of one workload",
        )
    for path in found:
        with path.open("rb") as file:
            yield ManifestFile(name=str(path), data=_read(file))


def _read(file: BinaryIO) -> bytes:
    return file.read(LARGEST_BYTES + 1)
