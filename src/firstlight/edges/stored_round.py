"""
A round read back from its folder, as frozen values.

Each file says its form and version (see `core.records`); an older one would be lifted
here, step by step. Whatever is missing or of the wrong kind is damage, and is named
with its file: a record is never half read.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from firstlight.core.errors import BadInput
from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.records import LISTING, MARKS, ROUND, Form
from firstlight.edges.cache_listing import ListedRoot
from firstlight.edges.given_file import read_given
from firstlight.edges.run_store import LOG_FILE

_LAST_NS = 2**63
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRound:
    """One start, as it was recorded."""

    folder: Path
    written_to: Path | None
    """Where the folder was when it was written; None in records that do not say."""
    label: str
    index: int
    command: tuple[str, ...]
    """Secrets blacked out."""
    url: str | None
    """Where the server was asked; None where that was not recorded."""
    anchor_unix_ns: int
    anchor_monotonic_ns: int
    """Unix time is monotonic time plus the difference of the two."""
    probe: bool
    outcome: str
    """ready, failed or timeout."""
    exit_code: int | None
    """Of an engine that ended by itself; negative for a signal. None where we ended it."""
    started_ns: int | None
    """Unix nanoseconds of the process's start; None where there never was one."""
    ready_ns: int | None
    """From the start to /health 200; None where it never came."""
    first_token_ns: int | None
    """From the start to the first token; None where it never came."""
    first_token_problem: str | None
    """Why a ready server gave none; None where it gave one, and in records that do not say."""
    problem: str | None
    """One sentence; None where nothing went wrong."""
    remedy: str | None
    cut_off: bool
    """Whether whoever measured it was told to end; no in records that do not say."""
    notes: tuple[str, ...]
    """What a reader must know to judge the figures."""
    fingerprint: Mapping[str, Any]
    marks: tuple[Mark, ...]
    """In Unix nanoseconds."""
    record: Mapping[str, Any]
    """All of round.json."""

    @property
    def log(self) -> Path:
        return self.folder / LOG_FILE

    @property
    def probe_files(self) -> tuple[Path, ...]:
        """What the probe wrote, one file a process; empty where it was off."""
        return tuple(sorted((self.folder / "probe").glob("*.jsonl")))

    def probe_records(self) -> dict[str, bytes]:
        """What the probe wrote, by file name.

        Raises:
            BadInput: a file cannot be read.
        """
        try:
            return {path.name: read_given(path) for path in self.probe_files}
        except OSError as broken:
            raise BadInput(
                f"{broken.filename} cannot be read: {broken.strerror}",
                remedy="check its permissions",
            ) from broken


def read_round(folder: Path) -> StoredRound:
    """
    Read a complete round.

    Raises:
        BadInput: there is none, it was never finished, or it is damaged.
        NewerRecord: a newer firstlight wrote it.
    """
    if not (folder / ROUND.file).exists() and (folder / LOG_FILE).exists():
        raise BadInput(
            f"{folder} holds a round that was not finished: it has no {ROUND.file}",
            remedy=f"read its {LOG_FILE} by itself, or measure again",
        )
    record = _Fields(folder / ROUND.file, form=ROUND)
    marks = _Fields(folder / MARKS.file, form=MARKS) if _has_marks(folder) else None
    anchor = record.inner("anchor")
    problem = record.inner("problem") if record.get("problem", dict) else None
    return StoredRound(
        folder=folder,
        written_to=Path(there) if (there := record.get("folder", str)) else None,
        label=record.need("label", str),
        index=record.need("index", int),
        command=tuple(record.texts("command")),
        url=record.get("url", str),
        anchor_unix_ns=anchor.moment("unix_ns"),
        anchor_monotonic_ns=anchor.moment("monotonic_ns"),
        probe=record.need("probe", bool),
        outcome=record.need("outcome", str),
        exit_code=record.get("exit_code", int),
        started_ns=record.get("started_ns", int),
        ready_ns=record.get("ready_ns", int),
        first_token_ns=record.get("first_token_ns", int),
        first_token_problem=record.get("first_token_problem", str),
        problem=problem.need("message", str) if problem else None,
        remedy=problem.need("remedy", str) if problem else None,
        cut_off=bool(record.get("cut_off", bool)),
        notes=tuple(record.texts("notes") if "notes" in record.fields else ()),
        fingerprint=record.need("fingerprint", dict),
        marks=tuple(_mark(mark) for mark in marks.each("marks")) if marks else (),
        record=record.fields,
    )


def read_listing(folder: Path, name: str) -> tuple[ListedRoot, ...]:
    """
    Read `cache-before.json` or `cache-after.json` of a round.

    Raises:
        BadInput: it is missing or damaged.
        NewerRecord: a newer firstlight wrote it.
    """
    path = folder / name
    data = _bytes(path)
    try:
        schema = msgspec.json.decode(data, type=_Written).schema
        if LISTING.reads(schema, artefact=str(path)):
            return msgspec.json.decode(data, type=_Listing).roots
    except (msgspec.DecodeError, RecursionError) as broken:
        raise _damaged(path, str(broken)) from broken
    raise _damaged(path, f"it does not say that it is a firstlight.{LISTING.name}")


class _Written(msgspec.Struct, frozen=True):
    schema: object = None


# A listing has hundreds of files, and a run thousands of listings: field by field takes long.
class _Listing(msgspec.Struct, frozen=True):
    roots: tuple[ListedRoot, ...]


def _bytes(path: Path) -> bytes:
    try:
        return read_given(path)
    except OSError as broken:
        raise BadInput(
            f"{path} cannot be read: {broken.strerror}",
            remedy="name the folder of a round, as `firstlight measure` printed it",
        ) from broken


def _damaged(path: Path, how: str) -> BadInput:
    return BadInput(
        f"{path} is damaged: {how}",
        remedy="measure again; nothing else in that folder was changed",
    )


class _Fields:
    """One JSON object of a file, each field checked as it is taken."""

    def __init__(
        self, path: Path, *, form: Form | None = None, fields: dict[str, Any] | None = None
    ) -> None:
        self._path = path
        if fields is not None:
            self.fields = fields
            return
        data = _bytes(path)
        try:
            loaded = json.loads(data)
        except (ValueError, RecursionError) as broken:
            raise self._damaged("it is not JSON") from broken
        if not isinstance(loaded, dict):
            raise self._damaged("it is not an object")
        self.fields = loaded
        if form is not None:
            self._check_form(form)

    def _check_form(self, form: Form) -> None:
        if not form.reads(self.fields.get("schema"), artefact=str(self._path)):
            raise self._damaged(f"it does not say that it is a firstlight.{form.name}")

    def get(self, name: str, kind: type[_T]) -> _T | None:
        value = self.fields.get(name)
        if value is None:
            return None
        # bool is an int to Python, and never a number of nanoseconds.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self._damaged(f"its {name} is not {_KINDS[kind]}")
        return value

    def need(self, name: str, kind: type[_T]) -> _T:
        value = self.get(name, kind)
        if value is None:
            raise self._damaged(f"it has no {name}")
        return value

    def moment(self, name: str) -> int:
        """Nanoseconds on a clock that has some: before 1970 and after 2262 there are none."""
        value = self.need(name, int)
        if not 0 <= value < _LAST_NS:
            raise self._damaged(f"its {name} is no moment")
        return value

    def inner(self, name: str) -> "_Fields":
        return _Fields(self._path, fields=self.need(name, dict))

    def each(self, name: str) -> "list[_Fields]":
        inner = self.need(name, list)
        if not all(isinstance(one, dict) for one in inner):
            raise self._damaged(f"its {name} are not all objects")
        return [_Fields(self._path, fields=one) for one in inner]

    def texts(self, name: str) -> list[str]:
        inner = self.need(name, list)
        if not all(isinstance(one, str) for one in inner):
            raise self._damaged(f"its {name} are not all texts")
        return inner

    def kind(self) -> MarkKind:
        name = self.need("kind", str)
        try:
            return MarkKind(name)
        except ValueError as unknown:
            raise self._damaged(f"it has a mark of the unknown kind {name!r}") from unknown

    def _damaged(self, how: str) -> BadInput:
        return _damaged(self._path, how)


_KINDS: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def _has_marks(folder: Path) -> bool:
    """A round that never got as far as a process has none."""
    return (folder / MARKS.file).exists()


def _mark(fields: _Fields) -> Mark:
    return Mark(
        kind=fields.kind(),
        at_ns=fields.moment("at_ns"),
        resolution_ns=fields.moment("resolution_ns"),
        clock=Clock.MONOTONIC,
        evidence=Evidence(artefact=MARKS.file, text=fields.need("words", str)),
    )
