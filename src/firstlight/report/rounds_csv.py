"""
Every round and every phase of it as a row, for a spreadsheet or a notebook.

A cell that begins like a formula gets an apostrophe in front: spreadsheets would run it.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

HEADS = (
    "step",
    "name",
    "scenario",
    "round",
    "purpose",
    "outcome",
    "compile_cache",
    "technique_state",
    "phase",
    "seconds",
    "uncertainty_s",
)
_TOTAL = "total"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rounds_csv(document: Mapping[str, Any]) -> str:
    """One row for each phase of each round, and one for its total."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADS)
    for row in _rows(document):
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _rows(document: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    for step in document.get("steps") or ():
        for scenario, found in step["scenarios"].items():
            for one in found["rounds"]:
                state = (one.get("effect") or {}).get("state", "")
                told = (step["number"], step["name"], scenario, one["slot"], one["purpose"])
                shown = (one["outcome"], one.get("cache_verdict", ""), state)
                yield from _lengths((*told, *shown), one, one.get("uncertainty_s"))
    for start in document.get("starts") or ():
        told = ("", start["source"], start["scenario"] or "", "", "")
        shown = (start["outcome"], start["compile_cache"]["verdict"], "")
        yield from _lengths((*told, *shown), start, start["total_uncertainty_s"])


def _lengths(
    told: tuple[object, ...], one: Mapping[str, Any], uncertainty_s: float | None
) -> Iterator[tuple[object, ...]]:
    if one.get("total_s") is not None:
        yield (*told, _TOTAL, one["total_s"], uncertainty_s)
    for phase in one.get("phases") or ():
        yield (*told, phase["name"], phase["seconds"], phase.get("uncertainty_s"))


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
