"""
Which caches there are here, and which of them are meant.
"""

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.cache_places import KINDS, CachePlace, cache_places
from firstlight.core.errors import BadInput
from firstlight.edges.cache_listing import list_caches


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A cache and what is in it."""

    place: CachePlace
    exists: bool
    files: int
    bytes: int


def found(environment: Mapping[str, str]) -> tuple[Found, ...]:
    """Every cache of an engine that is started with this environment."""
    return tuple(_looked_at(place) for place in _places(environment))


def sources(given: Sequence[str], environment: Mapping[str, str]) -> dict[str, Path]:
    """
    What to pack: folders by how their paths begin in an archive.

    Args:
        given: folders that `cache env` laid out, or KIND=FOLDER; none for all that there are.
        environment: the engine's.

    Raises:
        BadInput: one is no folder, or holds no cache.
    """
    if not given:
        here = {one.member: Path(one.folder) for one in _places(environment)}
        packed = {member: folder for member, folder in here.items() if folder.is_dir()}
        if not packed:
            raise BadInput(
                "there is no cache here",
                remedy="start the engine once and ask it something; `firstlight cache where` tells "
                "where it would be",
            )
        return packed
    check_kinds(given)
    packed = {}
    for word in given:
        for member, folder in _meant(word):
            if member in packed:
                raise BadInput(
                    f"{member} is named twice: {packed[member]} and {folder}",
                    remedy="name one of them",
                )
            packed[member] = folder
    return packed


def check_kinds(given: Sequence[str]) -> None:
    """
    See that what looks like KIND=FOLDER has a kind, whether or not the folders are there yet.

    Raises:
        BadInput: one has none.
    """
    for word in given:
        kind, equals, _ = word.partition("=")
        if equals and "/" not in kind and kind not in KINDS and not Path(word).exists():
            raise BadInput(
                f"{kind or 'nothing'} is no kind of cache, in {word}",
                remedy=f"kinds are {', '.join(KINDS)}",
            )


def _places(environment: Mapping[str, str]) -> tuple[CachePlace, ...]:
    return cache_places(environment, home=str(Path.home()), user=getpass.getuser())


def _looked_at(place: CachePlace) -> Found:
    listed = list_caches([place.folder])[0]
    return Found(
        place=place,
        exists=listed.exists,
        files=len(listed.files),
        bytes=sum(file.bytes for file in listed.files),
    )


def _meant(word: str) -> list[tuple[str, Path]]:
    kind, equals, folder = word.partition("=")
    if equals and kind in KINDS:
        place = CachePlace(kind=kind, folder=folder, variable="")
        return [(place.member, _folder(folder))]
    root = _folder(word)
    laid_out = [(kind, root / kind) for kind in KINDS if (root / kind).is_dir()]
    if not laid_out:
        raise BadInput(
            f"{word} holds no folder of a kind of cache ({', '.join(KINDS)})",
            remedy="name the folder that `firstlight cache env` was given, or say which kind the "
            "files in it are of: KIND=FOLDER",
        )
    return laid_out


def _folder(word: str) -> Path:
    path = Path(word).absolute()
    if not path.is_dir():
        raise BadInput(f"{word} is no folder", remedy="name a folder with a cache in it")
    return path
