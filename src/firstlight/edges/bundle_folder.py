"""
Bundles on disk: nothing half, nothing overwritten.

A bundle grows in a folder beside its place, hidden and readable by its owner alone,
and comes into its place by one rename when it is whole. Whatever ends the block
before takes the folder away; what a killed process has left goes with the next bundle there.
"""

import gzip
import json
import os
import shutil
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.unfinished import abandoned_beside, take_away, unfinished

_ARCHIVES = (".tar.gz", ".tgz")
_INTO = " (`capture` and `measure` take it as --into)"


class BundleFolder:
    """The files of a bundle that is being made."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, name: str, document: Mapping[str, Any]) -> None:
        """Write a JSON document."""
        with _translated(self._path), self._place(name).open("w", encoding="utf-8") as file:
            # Escaped to ASCII, lone surrogates and all: what came in goes out.
            json.dump(document, file, indent=1)
            file.write("\n")

    def write_lines(self, name: str, blocks: Iterable[bytes]) -> None:
        """Write what arrives, as it arrives; errors of whoever sends it pass through."""
        with _translated(self._path):
            file = self._place(name).open("wb")
        with file:
            for block in blocks:
                with _translated(self._path):
                    file.write(block)
            with _translated(self._path):
                file.flush()

    def _place(self, name: str) -> Path:
        parts = PurePosixPath(name).parts
        if not parts or any(part in {"..", "/"} or "\x00" in part for part in parts):
            raise OutsideFailed(
                f"the cluster names something {name!r}, which cannot be a file",
                remedy="this is no name Kubernetes allows; check what answers there",
            )
        path = self._path.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@contextmanager
def new_bundle(place: Path) -> Iterator[BundleFolder]:
    """
    A bundle that is in its place when the block ends without an error.

    Args:
        place: a folder to make, or an archive (`.tar.gz`).

    Raises:
        BadInput: something is there already.
        OutsideFailed: it cannot be written.
    """
    place = place.absolute()
    check_free(place)
    growing = unfinished(place)
    packed = growing.with_name(f"{growing.name}.tar.gz")
    try:
        with _translated(growing):
            take_away(abandoned_beside(place))
            growing.mkdir(mode=0o700)
        yield BundleFolder(growing)
        with _translated(place):
            if is_archive(place):
                _pack(growing, packed, inside=_stem(place))
                _put(packed, place)
            else:
                # An empty folder made now is ours; renaming onto it cannot hit anything else.
                place.mkdir(mode=0o700)
                growing.rename(place)
    finally:
        shutil.rmtree(growing, ignore_errors=True)
        packed.unlink(missing_ok=True)


def check_free(place: Path) -> None:
    """
    See that a bundle can go there, before anything is asked of a cluster.

    Raises:
        BadInput: something is there already, or there is no folder to put it in.
    """
    if os.path.lexists(place):
        raise BadInput(
            f"{place} exists, and nothing is overwritten", remedy=f"name another place{_INTO}"
        )
    if not place.parent.is_dir():
        raise BadInput(
            f"there is no folder {place.parent}", remedy=f"make it, or name another place{_INTO}"
        )


def is_archive(place: Path) -> bool:
    """Whether a bundle there is one file."""
    return place.name.endswith(_ARCHIVES)


def _pack(folder: Path, archive: Path, *, inside: str) -> None:
    descriptor = os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with (
        os.fdopen(descriptor, "wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", filename="", compresslevel=6) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        for path in sorted(folder.rglob("*")):
            tar.add(path, f"{inside}/{path.relative_to(folder)}", recursive=False, filter=_nobody)


def _nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Who made it is nobody's business."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _put(archive: Path, place: Path) -> None:
    try:
        os.link(archive, place)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: the check before has to do.
        check_free(place)
        archive.rename(place)


def _stem(place: Path) -> str:
    return next(place.name.removesuffix(end) for end in _ARCHIVES if place.name.endswith(end))


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as e:
        raise BadInput(
            f"{e.filename2 or e.filename or path} exists, and nothing is overwritten",
            remedy=f"name another place{_INTO}",
        ) from e
    except OSError as e:
        raise OutsideFailed(
            f"{e.filename or path} cannot be written: {e.strerror}",
            remedy="make room there and let it be written to, or name another place: --into of "
            "`capture` and `measure`, TMPDIR for `explain`",
        ) from e
