"""
Whether a folder still has in it what its cache has.

Names and sizes are looked at, not bytes: that costs some milliseconds for thousands of files,
and tells what happens to folders. Somebody cleans up by age, a disk was full, another node took
half of it for abandoned. Folders are listed rather than files asked for, because over NFS a
listing is fresh where an answer for one file may be an old one.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from firstlight.caches.manifest import File


def lacks(folder: Path, files: Sequence[File]) -> str | None:
    """
    What of a cache's files is not there as it was; None where all of them are.

    A file that has grown is none of that: an engine adds to logs and tables that lie there.

    Returns:
        In words, for after the folder's name.
    """
    sizes = dict(_sizes(str(folder)))
    for file in files:
        size = sizes.get(f"{folder}/{file.path}")
        if size is None:
            return f"lacks {file.path}"
        if size < file.size_bytes:
            return f"has {size} of the {file.size_bytes} bytes of {file.path}"
    return None


def lacks_or_has_more(folder: Path, files: Sequence[File]) -> str | None:
    """The same of a folder that nobody has used: it has those files and no others."""
    found = dict(_sizes(str(folder)))
    counted, bytes_ = len(files), sum(file.size_bytes for file in files)
    if (len(found), sum(found.values())) != (counted, bytes_):
        return (
            f"has {len(found)} files of {sum(found.values())} bytes, "
            f"and the cache {counted} of {bytes_}"
        )
    return lacks(folder, files)


def _sizes(folder: str) -> Iterator[tuple[str, int]]:
    """Each plain file below a folder, and its size; what goes away meanwhile is not there."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _sizes(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
