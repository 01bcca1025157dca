"""
What is said of an archive beside it: what it fits, what is in it, where it is.

A manifest is small and is read whole before a byte of the archive is. It names every file with
its size and digest, so that what comes out of the archive is checked against what its
publisher said, file by file; and it is what is signed. Its bytes are canonical: two programs
that mean the same write the same, and a signature is over those bytes.

Nothing in it is believed before its signature is (`signatures`), and even then it is held
against limits: a publisher can be wrong.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from firstlight.caches.factors import Factors, key
from firstlight.caches.member_names import refusal
from firstlight.core.cache_places import KINDS
from firstlight.core.errors import BadInput

SCHEMA = "firstlight.cache/1"
MOST_MANIFEST_BYTES = 16 * 1024 * 1024
MOST_FILES = 500_000
MOST_UNPACKED_BYTES = 64 * 1024**3
_REMEDY = "publish the cache anew with `firstlight cache push`"

Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
"""SHA-256 in hexadecimal."""
Size = Annotated[int, msgspec.Meta(ge=0, le=2**53)]

Moment = Annotated[int, msgspec.Meta(ge=0, le=253_402_300_799)]
"""Unix time in whole seconds, up to the last year of four digits."""


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of the archive."""

    path: str
    """`KIND/...`, as `member_names` has it."""
    size_bytes: Size
    sha256: Digest
    executable: bool = False
    mtime_s: Size = 0
    """Whole seconds of Unix time: bytecode is compared with its source's."""


class Archive(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The packed bytes, by their digest."""

    sha256: Digest
    size_bytes: Size

    @property
    def name(self) -> str:
        """Its name below `archives/`."""
        return f"sha256-{self.sha256}.tar.zst"


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that is said of one cache."""

    schema: str
    key: Digest
    factors: Factors
    archive: Archive
    files: tuple[File, ...]
    roots: dict[str, str]
    """Where each kind lay when it was filled, absolute: older engines write it into their files."""
    made_unix_s: Moment
    made_by: str
    """The version of firstlight."""
    engine_arguments: tuple[str, ...] = ()
    """The whole command, secrets blacked out, for whoever asks why it does not fit."""

    @property
    def unpacked_bytes(self) -> int:
        """All files together."""
        return sum(file.size_bytes for file in self.files)


def canonical(manifest: Manifest) -> bytes:
    """The bytes that are signed and stored: fields sorted, nothing between them."""
    return msgspec.json.encode(manifest, order="sorted")


def read_manifest(artefact: str, data: bytes) -> Manifest:
    """
    A manifest from its bytes.

    Args:
        artefact: what to call it in an error.
        data: canonical, or it is refused: what was signed must be what is read.

    Raises:
        BadInput: it is none, or says what no manifest may.
    """
    if len(data) > MOST_MANIFEST_BYTES:
        raise _wrong(artefact, f"has {len(data)} bytes, and none has so many")
    try:
        found = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _wrong(artefact, f"is no manifest of a cache ({error})") from error
    if found.schema != SCHEMA:
        raise _wrong(artefact, f"has the schema {found.schema!r}, and {SCHEMA} is known here")
    if found.key != key(found.factors):
        raise _wrong(artefact, "has a key that is not the one of its factors")
    if canonical(found) != data:
        raise _wrong(artefact, "is not written as one is: its bytes are not those of its values")
    _check_files(artefact, found.files)
    kinds = {file.path.partition("/")[0] for file in found.files}
    if not kinds or not kinds <= set(KINDS) & set(found.roots):
        raise _wrong(artefact, "names no file, or one of no kind of cache")
    return found


def _check_files(artefact: str, files: Sequence[File]) -> None:
    if len(files) > MOST_FILES:
        raise _wrong(artefact, f"names {len(files)} files, and a cache has at most {MOST_FILES}")
    if sum(file.size_bytes for file in files) > MOST_UNPACKED_BYTES:
        raise _wrong(artefact, "names more bytes than a cache has")
    paths = [file.path for file in files]
    for path in paths:
        if why := refusal(path):
            raise _wrong(artefact, f"names a file that may not be: {why}")
    if paths != sorted(set(paths)):
        raise _wrong(artefact, "names a file twice, or not in order")
    folders = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}
    if both := sorted(folders & set(paths)):
        raise _wrong(artefact, f"has {both[0]!r} as a file and as a folder")


def _wrong(artefact: str, what: str) -> BadInput:
    return BadInput(f"{artefact} {what}", remedy=_REMEDY)
