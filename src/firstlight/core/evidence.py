"""
Where a statement comes from.

A number without a place is an opinion. Each edge of a phase, each fact and each
verdict carries the artefact, the line, and the words found there, verbatim.
Escaping for a terminal is the business of whoever prints it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A place in an artefact and its words."""

    artefact: str
    text: str
    line: int | None = None
    """Counted from 1; None where the artefact has no lines (a poll, a process table)."""
    path: str | None = None
    """Of a structured document: `Pod demo/vllm-0: status.conditions[Ready].lastTransitionTime`."""
