"""
Every round and every phase of it as a row, for a spreadsheet or a notebook.

What begins like a formula gets an apostrophe in front: spreadsheets would run it. It may begin
behind blanks, in the wide letters of East Asia, and behind a semicolon or in a new line too,
where a spreadsheet of another country begins a new cell.

A try that failed has a row too, with its cause and without numbers, and so has the place where a
plan stopped: a table in which they are missing looks like a run in which all went well.
"""

import csv
import io
import re
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
    "counts",
    "serving",
    "cause",
)
_TOTAL = "total"
_FORMULA = re.compile(
    r"(?:\A|(?<=[;\n\r\t]))(?=\s*[=+\-@|\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])"
    r"|\A(?=[\t\r])"
)


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
                ends = ("yes" if one["counts"] else "no", _serving(one), one["cause"] or "")
                yield from _lengths((*told, *shown), one, one.get("uncertainty_s"), ends)
    if stopped := document.get("stopped"):
        said = ("", "", "", stopped["slot"], "plan", "stopped")
        yield (*said, *[""] * (len(HEADS) - len(said) - 1), stopped["why"])
    for start in document.get("starts") or ():
        told = ("", start["source"], start["scenario"] or "", "", "")
        shown = (start["outcome"], start["compile_cache"]["verdict"], "")
        cause = (start.get("failure") or {}).get("message", "")
        ends = ("", "", cause)
        yield from _lengths((*told, *shown), start, start["total_uncertainty_s"], ends)


def _serving(one: Mapping[str, Any]) -> str:
    """What it answered beside the baseline; empty where it was not asked, or nobody may ask."""
    told = one.get("serving")
    if not told:
        return ""
    if told["problem"]:
        return f"not answered: {told['problem']}"
    if told["same_text"] is not None:
        return "the same" if told["same_text"] else "something else"
    return "" if told["agreement"] is None else f"{told['agreement']:.0%} of the tokens agree"


def _lengths(
    told: tuple[object, ...],
    one: Mapping[str, Any],
    uncertainty_s: float | None,
    ends: tuple[str, ...],
) -> Iterator[tuple[object, ...]]:
    total_s = one.get("total_s")
    known = ("", "") if total_s is None else (total_s, uncertainty_s)
    yield (*told, _TOTAL, *known, *ends)
    for phase in one.get("phases") or ():
        yield (*told, phase["name"], phase["seconds"], phase.get("uncertainty_s"), *ends)


def _cell(value: object) -> object:
    return _FORMULA.sub("'", value) if isinstance(value, str) else value
