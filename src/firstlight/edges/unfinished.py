"""
What is being written, under a name beside its place.

Nobody shall read half of a file, so it grows under a hidden name with our process in it and
comes into its place by one rename. Whoever is killed on the way leaves it behind. The next
run takes away what belongs to no process that lives; what another run is writing at this
moment stays.
"""

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

_NAME = re.compile(r"\..+\.unfinished-([0-9]{1,9})(\.tar\.gz)?")


def unfinished(place: Path) -> Path:
    """Where that grows which is to come to a place."""
    return place.with_name(f".{place.name}.unfinished-{os.getpid()}")


def abandoned_beside(place: Path) -> list[Path]:
    """What runs that are no more have left of the same thing."""
    start = f".{place.name}.unfinished-"
    if not place.parent.is_dir():
        return []
    return _abandoned(path for path in place.parent.iterdir() if path.name.startswith(start))


def abandoned_within(folder: Path) -> list[Path]:
    """What runs that are no more have left in a folder, however deep."""
    return _abandoned(folder.rglob(".*.unfinished-*"))


def take_away(paths: Iterable[Path]) -> None:
    """Files, and folders with all that is in them."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _abandoned(paths: Iterable[Path]) -> list[Path]:
    found = ((path, _NAME.fullmatch(path.name)) for path in paths)
    return [path for path, name in found if name and not _is_anothers(int(name.group(1)))]


def _is_anothers(process: int) -> bool:
    """Whether another process lives under this number; ours has just begun, and left nothing."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
