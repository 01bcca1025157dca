"""
Files that are written again and again into a folder that somebody keeps.

Only what carries our mark is ever replaced: a file that somebody wrote, or took over by
removing the mark, is theirs. All of it is looked at before any of it is written, and each
file comes into its place by a rename, so that nobody reads half of one.

What is read and what is written are kept apart: a folder that is read again with what was
written into it holds every object twice, or once with the change in it already.
"""

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.unfinished import abandoned_within, take_away, unfinished


def write_folder(place: Path, files: Mapping[str, str], *, mark: str) -> tuple[Path, ...]:
    """
    Write files, and give the ones that an earlier writing left and this one has no more.

    Args:
        place: the folder; it need not exist.
        files: text by relative path; each text begins with the mark.
        mark: the first line by which a file is known to be ours.

    Raises:
        BadInput: a file that would be replaced is not ours; nothing was written.
        OutsideFailed: the disk does not take it.
    """
    try:
        for name in files:
            _check(place, name, mark)
        take_away(abandoned_within(place))
        for name, text in files.items():
            _put(place / name, text)
        return tuple(_left(place, files, mark))
    except OSError as e:
        raise OutsideFailed(
            f"{e.filename or place} cannot be written: {e.strerror}",
            remedy="check its rights and the disk, or name another folder",
        ) from e


def check_apart(place: Path, read: Path) -> None:
    """
    See that what is written does not come among what is read.

    Args:
        place: the folder that is to be written.
        read: the file or folder that was read.

    Raises:
        BadInput: one of the two is, or holds, the other.
    """
    ours, theirs = place.resolve(), read.resolve()
    if ours == theirs or ours in theirs.parents or theirs in ours.parents:
        relation = "is" if ours == theirs else "holds" if ours in theirs.parents else "lies in"
        raise BadInput(
            f"{place} {relation} {read}, which is read here",
            remedy="name a folder beside it, such as ./firstlight",
        )


def _check(place: Path, name: str, mark: str) -> None:
    target = place / name
    for folder in (place, *(place.joinpath(*PurePosixPath(name).parts[:i]) for i in range(1, 9))):
        if folder == target:
            break
        if os.path.lexists(folder) and not folder.is_dir():
            raise BadInput(
                f"{folder} is no folder, and one is to be there", remedy="name another folder"
            )
    if os.path.lexists(target) and not _is_ours(target, mark):
        raise BadInput(
            f"{target} was not written by firstlight, and is not replaced",
            remedy="name another folder, or move that file away",
        )


def _is_ours(path: Path, mark: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline(len(mark) + 2).rstrip(b"\r\n") == mark.encode()


def _put(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    growing = unfinished(target)
    try:
        growing.write_text(text, encoding="utf-8")
        growing.replace(target)
    finally:
        growing.unlink(missing_ok=True)


def _left(place: Path, files: Mapping[str, str], mark: str) -> list[Path]:
    known = {place / name for name in files}
    return [
        path for path in sorted(place.rglob("*.yaml")) if path not in known and _is_ours(path, mark)
    ]
