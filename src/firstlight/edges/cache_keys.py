"""
Keys of those who publish caches, in files and in words.

A private key is one line in a file that nobody but its owner may write, and no stranger read (the
group may: so a pod's fsGroup comes to it). A public key is one line too,
short enough to stand in a manifest as it is: `ed25519:` and 32 bytes in base64.

Whoever has none gets one the first time they publish, and believes it from then on: so on one
machine a cache is signed and checked without anybody thinking of keys.
"""

import base64
import binascii
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from firstlight.caches.signatures import is_weak
from firstlight.core.errors import BadInput
from firstlight.edges.unwritable import writing
from firstlight.edges.whole_file import write_whole

PUBLIC, PRIVATE = "ed25519:", "ed25519-private:"
_BYTES = 32
_MOST_BYTES = 4096
_TOO_MANY = stat.S_IRWXO | stat.S_IWGRP


class CacheKeys:
    """The keys of this user."""

    def __init__(self, environment: Mapping[str, str], *, home: Path) -> None:
        config = environment.get("XDG_CONFIG_HOME") or str(home / ".config")
        self.folder = Path(config) / "firstlight" / "cache-keys"

    @property
    def private_path(self) -> Path:
        """Where the private key lies."""
        return self.folder / "private.key"

    @property
    def trusted_folder(self) -> Path:
        """Public keys of others who are believed, one in each file."""
        return self.folder / "trusted"

    def own(self) -> bytes | None:
        """
        The private key; None where there is none yet.

        Raises:
            BadInput: it is none, or others may read it.
        """
        return read_private(self.private_path) if self.private_path.exists() else None

    def keep(self, private_key: bytes, public_key: bytes) -> None:
        """
        Keep a pair as this user's.

        Raises:
            OutsideFailed: it cannot be written.
        """
        with writing(self.private_path):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.trusted_folder.mkdir(exist_ok=True)
            line = f"{PRIVATE}{base64.b64encode(private_key).decode()}\n"
            write_whole(self.private_path, line.encode(), private=True)
            own = self.trusted_folder / "own.pub"
            write_whole(own, f"{public_words(public_key)}\n".encode())

    def trusted(self) -> tuple[bytes, ...]:
        """
        The public keys that are believed.

        Raises:
            BadInput: a file of them holds none.
        """
        if not self.trusted_folder.is_dir():
            return ()
        return tuple(read_public(str(path)) for path in sorted(self.trusted_folder.glob("*.pub")))


def public_words(public_key: bytes) -> str:
    """A public key as people pass it on."""
    return f"{PUBLIC}{base64.b64encode(public_key).decode()}"


def read_public(given: str) -> bytes:
    """
    A public key from its words, or from a file that holds them.

    Raises:
        BadInput: it is none.
    """
    if given.startswith(PRIVATE):
        raise BadInput(
            "a private key was given where a public one is asked for, and is not shown here",
            remedy="give what `firstlight cache key --public` prints",
        )
    if given.startswith(PUBLIC):
        found, artefact = _decoded(given, PUBLIC, "what --trust was given"), given
    else:
        found, artefact = _decoded(_line(Path(given)), PUBLIC, given), given
    if is_weak(found):
        raise BadInput(
            f"{artefact} is a key that anybody can sign for",
            remedy="give what `firstlight cache key --public` prints",
        )
    return found


def read_private(path: Path) -> bytes:
    """
    A private key from its file.

    Raises:
        BadInput: it is none, or others may read it.
    """
    if str(path).startswith(PRIVATE):
        raise BadInput(
            "a private key was given in place of its file's name, and is not shown here",
            remedy="put it into a file that only you can read, or into FIRSTLIGHT_CACHE_KEY",
        )
    line = _line(path)
    mode = path.stat().st_mode
    if mode & _TOO_MANY:
        raise BadInput(
            f"{path} holds a private key, and others may read or write it ({stat.filemode(mode)})",
            remedy=f"chmod 600 {path}; for a Secret in a pod: defaultMode: 0400",
        )
    return private_from(line, str(path))


def private_from(words: str, artefact: str) -> bytes:
    """
    A private key from its words.

    Args:
        words: as they stand in a file, or in a variable.
        artefact: what holds them, for the error.

    Raises:
        BadInput: they are none.
    """
    return _decoded(words.strip(), PRIVATE, artefact)


def _line(path: Path) -> str:
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as file:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise BadInput(f"{path} is no file", remedy="name the file of a key")
            return file.read(_MOST_BYTES).decode("ascii", "replace").strip()
    except OSError as broken:
        raise BadInput(
            f"{path} cannot be read: {broken.strerror}", remedy="name the file of a key"
        ) from broken


def _decoded(line: str, begins: str, artefact: str) -> bytes:
    try:
        found = base64.b64decode(line.removeprefix(begins), validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if not line.startswith(begins) or len(found) != _BYTES:
        other = PRIVATE if begins == PUBLIC else PUBLIC
        what = "a private key" if begins == PRIVATE else "a public key"
        raise BadInput(
            f"{artefact} holds no {what.removeprefix('a ')}",
            remedy=f"it is the other half of the pair; {what} begins with {begins}"
            if line.startswith(other)
            else f"{what} is one line that begins with {begins}; make a pair with "
            "`firstlight cache key --public`",
        )
    return found
