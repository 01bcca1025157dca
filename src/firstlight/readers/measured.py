"""
What `measure` saw of a pod's start: `measured.json`, schema `firstlight.measured/1`.

It lies beside the bundle of the same start. The stamps in the bundle decide the
phases; this adds what no object holds: that somebody asked for this start and how, when
its pod was first seen and seen Ready on the measuring machine's own clock, and how long
the first token took.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.core.records import MEASURED

_LAST_NS = 2**63
"""No moment and no length is larger."""
_PARTS = ("problem", "anchor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One start that was watched."""

    pod: str
    node: str | None = None
    """Where it ran; None where it had none, or that was not seen."""
    scenario: str | None = None
    """None where it was not as asked, or nobody asked."""
    not_as_asked: str | None = None
    """Why a start that came up is not of the scenario that was asked for."""
    outcome: str | None = None
    """ready, failed or timeout."""
    began_ns: int | None = None
    """When the measuring machine began; Unix nanoseconds, as the next two."""
    created_seen_ns: int | None = None
    ready_seen_ns: int | None = None
    first_token_ns: int | None = None
    """From Ready as it was seen to one generated token."""
    first_token_problem: str | None = None
    """Why none came; None where one did, or nobody asked."""
    problem: str | None = None
    remedy: str | None = None
    cut_off: bool = False
    """Whether whoever measured it was told to end, or broke; no in records that do not say."""
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

    def number(name: str, of: Mapping[str, Any] = told) -> int | None:
        value = of.get(name)
        return value if type(value) is int and 0 <= value < _LAST_NS else None

    def text(name: str) -> str | None:
        value = told.get(name)
        return value if isinstance(value, str) else None

    problem, anchor = (v if isinstance(v := told.get(n), dict) else {} for n in _PARTS)
    notes = told.get("notes")
    return Measured(
        pod=text("pod") or "",
        node=text("node"),
        scenario=text("scenario"),
        not_as_asked=text("not_as_asked"),
        outcome=text("outcome"),
        began_ns=number("unix_ns", anchor),
        created_seen_ns=number("created_seen_ns"),
        ready_seen_ns=number("ready_seen_ns"),
        first_token_ns=number("first_token_ns"),
        first_token_problem=text("first_token_problem"),
        problem=str(problem["message"]) if problem.get("message") else None,
        remedy=str(problem["remedy"]) if problem.get("remedy") else None,
        cut_off=told.get("cut_off") is True,
        notes=tuple(n for n in (notes if isinstance(notes, list) else ()) if isinstance(n, str)),
    )
