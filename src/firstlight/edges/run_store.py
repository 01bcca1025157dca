"""
Where measurements lie: one folder a round, under a folder a label.

    <out>/<label>/round-01/engine.log, marks.json, ..., round.json

A round's folder is made exclusively, with the next free number, so nothing is
ever overwritten and two measurements may run side by side. Raw artefacts come
first; round.json comes last, by rename, and a folder that has it is complete.
Reading one back is `stored_round`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.core.records import ROUND
from firstlight.edges.unwritable import writing
from firstlight.edges.whole_file import write_whole

ROUND_FILE = ROUND.file
LOG_FILE = "engine.log"
_ROUND = re.compile(r"round-(\d+)")
_LABEL = re.compile(r"[^/\x00-\x1f\x7f]{1,200}")
_TRIES = 100


class RoundFolder:
    """One round's folder while it is being filled."""

    def __init__(self, path: Path, *, index: int) -> None:
        self.path = str(path)
        self.index = index
        self.log_path = str(path / LOG_FILE)
        self._path = path

    def make_folder(self, name: str) -> str:
        """A folder inside, for somebody else to fill; its absolute path."""
        with writing(self._path):
            folder = self._path / name
            folder.mkdir(exist_ok=True)
            return str(folder)

    def names_in(self, name: str) -> tuple[str, ...]:
        """What somebody else has put into a folder inside."""
        with writing(self._path):
            return tuple(sorted(path.name for path in (self._path / name).iterdir()))

    def write(self, name: str, value: Mapping[str, object], *, private: bool = False) -> None:
        """
        Write an artefact as JSON, whole or not at all.

        Args:
            name: of the file.
            value: what becomes JSON.
            private: whether it is for its owner's eyes only.
        """
        with writing(self._path):
            data = (json.dumps(value, indent=1) + "\n").encode("ascii")
            write_whole(self._path / name, data, private=private)

    def finish(self, record: Mapping[str, object]) -> None:
        """Write round.json: from here on the round is complete, and has a log, if an empty one."""
        with writing(self._path):
            (self._path / LOG_FILE).touch()
        self.write(ROUND_FILE, record)


class RunStore:
    """The folder that holds the labels."""

    def __init__(self, out: Path) -> None:
        self._out = out.absolute()

    def new_round(self, label: str) -> RoundFolder:
        """
        Make the folder of the next round of a label.

        Raises:
            BadInput: the label cannot be a folder's name.
            OutsideFailed: the folder cannot be made.
        """
        if not _LABEL.fullmatch(label) or label.startswith("."):
            raise BadInput(
                f"{label!r} cannot be the label of a measurement",
                remedy="a label names a folder: no slash or control character, no dot in front",
            )
        folder = self._out / label
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            index = max((_index(path) for path in _numbered(folder)), default=0)
            for _ in range(_TRIES):
                index += 1
                path = folder / f"round-{index:02d}"
                with suppress(FileExistsError):
                    path.mkdir()
                    return RoundFolder(path, index=index)
        raise OutsideFailed(
            f"{folder} gave no free round in {_TRIES} tries",
            remedy="something else makes rounds there; choose another label",
        )


def is_round(folder: Path) -> bool:
    """Whether a folder holds a complete round.

    Raises:
        BadInput: one may not look into it.
    """
    with _readable(folder):
        return (folder / ROUND_FILE).is_file()


def rounds_in(folder: Path) -> tuple[Path, ...]:
    """The complete rounds of a label, or of a folder of labels; in order of label and number.

    Raises:
        BadInput: one may not look into it.
    """
    with _readable(folder):
        found = [path for path in _numbered(folder) if is_round(path)]
        if not found and folder.is_dir():
            labels = (path for path in folder.iterdir() if path.is_dir())
            found = [path for label in labels for path in _numbered(label) if is_round(path)]
    return tuple(sorted(found, key=lambda path: (path.parent.name, _index(path))))


def _numbered(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if _ROUND.fullmatch(path.name)]


def _index(path: Path) -> int:
    match = _ROUND.fullmatch(path.name)
    return int(match[1]) if match else 0


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as broken:
        raise BadInput(
            f"{broken.filename or folder} cannot be read: {broken.strerror}",
            remedy="check the path and its permissions",
        ) from broken
