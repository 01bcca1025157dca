"""
Folders packed when they are at rest.

An engine that has just answered may still be writing what it compiled, and half of it is worse
than nothing. Packing refuses a file that changes while it is read; one that changes after that,
or is new, is seen here. So where an engine runs beside, its caches are left alone until nothing
has changed for a moment; and where something changes nevertheless, all of it is packed anew, a
few times.
"""

import time
from collections.abc import Collection, Mapping
from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.cache_packing import Packed, pack
from firstlight.edges.last_change import STAMP_S, last_change
from firstlight.edges.unwritable import writing
from firstlight.wiring.caching.steps import Event, Told

_QUIET_S = 2.0
_PATIENCE_S = 60.0
"""Folders that are never quiet for so long are packed as they are, if they can be."""
_TRIES = 5


def packed_at_rest(
    sources: Mapping[str, Path], file: Path, told: Told, *, beside_engine: bool
) -> Packed:
    """
    An archive of folders.

    Args:
        sources: by how their paths begin in it.
        file: becomes the archive.
        told: is told.
        beside_engine: whether an engine runs that may still write to them.

    Raises:
        BadInput: a file may not be in an archive, or something changed at every try.
        OutsideFailed: something cannot be read or written.
    """
    if beside_engine:
        _rest(sources.values(), told)
    for left in reversed(range(_TRIES)):
        told.tell(Event.PACKING)
        began_unix_s = time.time()
        try:
            with writing(file), file.open("wb") as out:
                packed = pack(sources, out)
        except (BadInput, OutsideFailed):
            last = last_change(sources.values())
            if not left or last.at_unix_s < began_unix_s - STAMP_S:
                raise
        else:
            last = last_change(sources.values())
            if last.at_unix_s < began_unix_s - STAMP_S:
                return packed
        if last.at_unix_s >= began_unix_s:
            _rest(sources.values(), told)
        else:
            # It was about when packing began, and its stamp does not tell more.
            time.sleep(STAMP_S)
    raise BadInput(
        f"{last.place} changes while the caches are packed",
        remedy="pack when the engine is ready and has answered a request",
    )


def _rest(folders: Collection[Path], told: Told) -> None:
    """Wait until nothing has changed for a moment."""
    until_s = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until_s:
        left_s = last_change(folders).at_unix_s + _QUIET_S - time.time()
        if left_s <= 0:
            return
        told.tell(Event.WAITING, why="the caches to be written")
        time.sleep(min(left_s, _QUIET_S))
