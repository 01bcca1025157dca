"""
What a gateway has to know after it was itself started anew, in a file.

An engine goes on sleeping while its gateway is replaced. The next one has to know on which level
it sleeps, and what it said when it was last awake, or it could wake it in the wrong order and
take nonsense for its answers. A file that is damaged, or is not there, costs that knowledge and
nothing else; one that a newer firstlight wrote is left alone and not used.
"""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from firstlight.core.errors import NewerRecord
from firstlight.core.records import Form
from firstlight.edges.gate.questions import Said
from firstlight.edges.gate.regular_file import open_regular
from firstlight.edges.whole_file import write_whole

_GATE = Form(name="gate")
_MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What the engine said, twice, before it slept for the first time."""

    model: str | None
    once: Said
    twice: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """All of it."""

    schema: str = _GATE.schema
    level: int | None = None
    """Of the sleep that it is in, or was last asked for; None where it never was."""
    sleeps: int = 0
    """Of this engine, since it was started."""
    before: Before | None = None
    in_use_bytes: tuple[int, ...] = ()
    """Still in use, sleep by sleep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfForm:
    schema: str


class StateFile:
    """The file, or none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.problem: str | None = None
        """Why it was not read or written the last time."""

    def read(self) -> Kept:
        """What was kept; nothing where nothing was, or it cannot be used."""
        self.problem = None
        if self._path is None:
            return Kept()
        try:
            with open_regular(self._path) as file:
                read = file.read(_MOST_BYTES)
            # Of one that is newer nothing but its form can be told.
            form = msgspec.json.decode(read, type=_OfForm)
            if _GATE.reads(form.schema, artefact=str(self._path)):
                return msgspec.json.decode(read, type=Kept)
            self.problem = f"{self._path} is no state of a gateway"
        except FileNotFoundError:
            pass
        except NewerRecord as newer:
            self.problem = newer.message
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            self.problem = f"{self._path} cannot be used: {_words(error)}"
        return Kept()

    def write(self, kept: Kept) -> None:
        """Keep it; a disk that refuses is said in `problem`."""
        self.problem = None
        if self._path is None:
            return
        try:
            write_whole(self._path, msgspec.json.encode(kept), private=True)
        except OSError as error:
            self.problem = f"{self._path} cannot be written: {_words(error)}"


def _words(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
