"""
What `measure` saw of a pod's start: `measured.json`, schema `firstlight.measured/1`.

It lies beside the bundle of the same start. The stamps in the bundle decide the
phases; this adds what no object holds: that somebody asked for this start and how, when
its pod was first seen and seen Ready on the measuring machine's own clock, and how long
the first token took.
"""

import json
from dataclasses import dataclass

from firstlight.core.records import MEASURED

_LAST_NS = 2**63
"""No moment and no length is larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One start that was watched."""

    pod: str
    scenario: str | None = None
    created_seen_ns: int | None = None
    """Unix nanoseconds, by the measuring machine."""
    ready_seen_ns: int | None = None
    first_token_ns: int | None = None
    """From Ready as it was seen to one generated token."""
    first_token_problem: str | None = None
    problem: str | None = None
    remedy: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def watched_ns(self) -> int | None:
        """From the first sight of the pod to the sight of Ready: a stopwatch beside the stamps."""
        if self.created_seen_ns is None or self.ready_seen_ns is None:
            return None
        watched_ns = self.ready_seen_ns - self.created_seen_ns
        return watched_ns if watched_ns >= 0 else None


def read_measured(data: bytes) -> Measured | None:
    """The record; None where this is another file.

    Raises:
        NewerRecord: a newer firstlight wrote it.
    """
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or not MEASURED.reads(told.get("schema")):
        return None

    def number(name: str) -> int | None:
        value = told.get(name)
        return value if type(value) is int and 0 <= value < _LAST_NS else None

    def text(name: str) -> str | None:
        value = told.get(name)
        return value if isinstance(value, str) else None

    problem = told.get("problem")
    problem = problem if isinstance(problem, dict) else {}
    notes = told.get("notes")
    return Measured(
        pod=text("pod") or "",
        scenario=text("scenario"),
        created_seen_ns=number("created_seen_ns"),
        ready_seen_ns=number("ready_seen_ns"),
        first_token_ns=number("first_token_ns"),
        first_token_problem=text("first_token_problem"),
        problem=str(problem["message"]) if problem.get("message") else None,
        remedy=str(problem["remedy"]) if problem.get("remedy") else None,
        notes=tuple(n for n in (notes if isinstance(notes, list) else ()) if isinstance(n, str)),
    )
