"""
A round as it is written down.

Plain JSON objects, each with the integer version of its format. In them moments
are Unix nanoseconds (`at_ns`, `started_ns`), and `ready_ns` and `first_token_ns`
are lengths, from the start of the process. Reading them back is the store's.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from firstlight.core.errors import FirstlightError
from firstlight.core.marks import Mark
from firstlight.core.records import LISTING, MARKS, ROUND
from firstlight.measure.anchor import Anchor
from firstlight.measure.ports import ListedRoot, Stopped

INTERRUPTED = "the measurement was interrupted"
"""Why a record that is cut off ends, where whoever measured it wanted no more of it."""


@dataclass(slots=True, kw_only=True)
class Record:
    """Filled while the round goes on; written once, at its end."""

    label: str
    index: int
    command: tuple[str, ...]
    url: str
    anchor: Anchor
    probe: bool
    fingerprint: dict[str, object]
    timeout_ns: int
    folder: str = ""
    """Where it was written, which is known again after it was moved; empty in records of before."""
    model: str | None = None
    """As the server names it; None where it did not say and the command does not."""
    outcome: str = "failed"
    exit_code: int | None = None
    """Of a command that ended by itself; None where we ended it."""
    started_ns: int | None = None
    """Monotonic; None where no process was started."""
    ready_ns: int | None = None
    """From the start to /health 200."""
    first_token_ns: int | None = None
    """From the start to the first token."""
    first_token_problem: str | None = None
    """Why a ready server gave none; None where it gave one, or never was ready."""
    problem: FirstlightError | None = None
    cut_off: bool = False
    """Whether whoever measured it was told to end, so that it shows nothing of the engine."""
    stopped: Stopped | None = None
    last_lines: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The object of round.json."""
        started = self.started_ns
        return {
            "schema": ROUND.schema,
            "label": self.label,
            "index": self.index,
            "folder": self.folder,
            "command": list(self.command),
            "url": self.url,
            "model": self.model,
            "anchor": {
                "unix_ns": self.anchor.unix_ns,
                "monotonic_ns": self.anchor.monotonic_ns,
            },
            "probe": self.probe,
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "started_ns": None if started is None else started + self.anchor.offset_ns,
            "ready_ns": self.ready_ns,
            "first_token_ns": self.first_token_ns,
            "first_token_problem": self.first_token_problem,
            "timeout_ns": self.timeout_ns,
            "problem": self.problem
            and {"message": self.problem.message, "remedy": self.problem.remedy},
            "cut_off": self.cut_off,
            "notes": self.notes,
            "stop": self.stopped and _stop_json(self.stopped),
            "last_lines": list(self.last_lines),
            "fingerprint": self.fingerprint,
        }


def marks_json(marks: Iterable[Mark], anchor: Anchor) -> dict[str, object]:
    """The object of marks.json: the marks in Unix nanoseconds."""
    return {
        "schema": MARKS.schema,
        "marks": [
            {
                "kind": mark.kind.value,
                "at_ns": mark.at_ns + anchor.offset_ns,
                "resolution_ns": mark.resolution_ns,
                "words": mark.evidence.text,
            }
            for mark in marks
        ],
    }


def listing_json(roots: Sequence[ListedRoot]) -> dict[str, object]:
    """The object of cache-before.json and cache-after.json."""
    return {
        "schema": LISTING.schema,
        "roots": [
            {
                "root": root.root,
                "exists": root.exists,
                "complete": root.complete,
                "published": root.published,
                "published_in": root.published_in,
                "files": [
                    {"path": file.path, "bytes": file.bytes, "mtime_ns": file.mtime_ns}
                    for file in root.files
                ],
            }
            for root in roots
        ],
    }


def _stop_json(stopped: Stopped) -> dict[str, object]:
    return {
        "length_ns": stopped.length_ns,
        "exit_code": stopped.exit_code,
        "ignored_sigterm": stopped.ignored_sigterm,
        "asked": list(stopped.asked),
        "killed": list(stopped.killed),
        "left": list(stopped.left),
    }
