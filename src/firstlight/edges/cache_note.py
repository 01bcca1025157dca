"""
The note in a folder that was pulled: which cache it is.

A folder without one was filled by an engine here. A note counts only where it and its folder are
of this user or of root: whoever else could write it could have written what lies beside it. Where
a file system gives all files to one user, as an access point of EFS does, that user is as good as
we are, for ours are theirs too.

The note also has the kernel's boot id: after a crash of the node half-written pages may be all
that is left of a file, and what was pulled before is pulled again.
"""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from firstlight.caches.manifest import Manifest
from firstlight.core.cache_places import NOTE

_MOST_NOTE_BYTES = 64 * 1024
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_MODE = 0o644


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which cache lies in a folder."""

    key: Annotated[str, msgspec.Meta(max_length=128)]
    archive: Annotated[str, msgspec.Meta(max_length=128)]
    made_unix_s: int
    boot_id: Annotated[str, msgspec.Meta(max_length=128)]


def boot_id() -> str:
    """Another after each start of the kernel; empty where it does not tell."""
    with suppress(OSError):
        return _BOOT_ID.read_text("ascii").strip()
    return ""


def note_bytes(folder: Path) -> bytes | None:
    """What the note of a folder says, as it stands there; None where it has none that counts."""
    with suppress(OSError):
        opened = os.open(folder / NOTE, _READ)
        with open(opened, "rb") as file:  # noqa: PTH123 - it is open already
            status = os.fstat(opened)
            owners = {status.st_uid, folder.lstat().st_uid}
            if stat.S_ISREG(status.st_mode) and _are_ours(owners, folder.parent):
                return file.read(_MOST_NOTE_BYTES)
    return None


def read_note(folder: Path) -> Note | None:
    """Which pulled cache is there and can be relied on; None for anything else."""
    with suppress(msgspec.DecodeError):
        found = msgspec.json.decode(note_bytes(folder) or b"", type=Note)
        if found.boot_id == boot_id():
            return found
    return None


def leave_note(folder: Path, manifest: Manifest) -> None:
    """
    Say which cache lies there from now on.

    Raises:
        OSError: as the system says it.
    """
    note = Note(
        key=manifest.key,
        archive=manifest.archive.sha256,
        made_unix_s=manifest.made_unix_s,
        boot_id=boot_id(),
    )
    (folder / NOTE).write_bytes(msgspec.json.encode(note))
    (folder / NOTE).chmod(_MODE)


def _are_ours(owners: set[int], beside: Path) -> bool:
    others = owners - {0, os.geteuid()}
    if not others:
        return True
    with suppress(OSError), tempfile.TemporaryDirectory(prefix=".firstlight-", dir=beside) as ours:
        return others == {Path(ours).stat().st_uid}
    return False
