"""
Whoever may put an engine to sleep, by a token that lies in a file.

The file is read for every question that brings a token, because a Secret that is rotated comes to
its place without a word. What is compared are digests of one length, in a time that does not
depend on how much of a guess is right; and a file that cannot be read, or holds nothing, lets
nobody in.
"""

import hashlib
import hmac
from pathlib import Path

from firstlight.edges.gate.regular_file import open_regular

_MOST_BYTES = 4096
_SCHEME = "bearer"


class NoToken(Exception):
    """Nobody can be let in; the text says why."""


class TokenFile:
    """A file with one token."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def lets_in(self, authorization: str | None) -> bool:
        """
        Whether that is the token, as a header says it.

        Args:
            authorization: the header's value; None where there was none.

        Raises:
            NoToken: there is none to compare with.
        """
        scheme, _, said = (authorization or "").partition(" ")
        if scheme.lower() != _SCHEME:
            return False
        token = self.read()
        given = said.strip().encode("utf-8", "surrogateescape")
        return hmac.compare_digest(_digest(given), _digest(token))

    def read(self) -> bytes:
        """
        The token.

        Raises:
            NoToken: the file cannot be read, or holds none.
        """
        try:
            with open_regular(self._path) as file:
                read = file.read(_MOST_BYTES + 1)
        except OSError as error:
            raise NoToken(
                f"the admin token cannot be read: {self._path}: {error.strerror or error}"
            ) from error
        token = read.strip()
        if not token or len(read) > _MOST_BYTES:
            what = "longer than a token" if token else "empty"
            raise NoToken(f"the file of the admin token is {what}: {self._path}")
        return token


def _digest(words: bytes) -> bytes:
    return hashlib.sha256(words).digest()
