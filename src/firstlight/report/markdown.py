"""
A document as Markdown, for a pull request or a wiki: tables and sentences, no pictures.

Words of others stand in tables as code or with their markup taken off, so that a log line
cannot become a heading, a link or a row of its own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from firstlight.report.escape import visible
from firstlight.report.page import rows, words
from firstlight.report.page.palette import name

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#+!|~])")


def markdown(document: Mapping[str, Any]) -> str:
    """The document of an experiment, or of what `explain` prints."""
    lines = [f"# {plain(document.get('name') or 'vLLM starts')}", ""]
    if "steps" in document:
        lines += _experiment(document)
    for start in document.get("starts") or ():
        lines += _start(start)
    return "\n".join(lines).rstrip() + "\n"


def plain(text: object) -> str:
    """Words of others without the power of markup."""
    return _MARKUP.sub(r"\\\1", " ".join(visible(str(text)).split()))


def _experiment(document: Mapping[str, Any]) -> Iterator[str]:
    steps: Sequence[Mapping[str, Any]] = document["steps"]
    for scenario in dict.fromkeys(s for step in steps for s in step["scenarios"]):
        yield from (f"## {plain(scenario)}", "", plain(words.headline(document, scenario)), "")
        yield from _table(
            ("step", "claims to move", "total, median", "change", "verdict"),
            (_step(step, scenario) for step in steps),
        )
        yield from _table(
            ("step", "phase", "seconds", "share"),
            (
                (row["step"], row["phase"], f"{row['seconds']:.2f}", words.share(row["share"]))
                for row in rows.stacked(steps, scenario)
            ),
        )
    for title in ("method", "limits", "notes"):
        if found := document.get(title):
            yield from (f"## {title.capitalize()}", "", *(f"- {plain(s)}" for s in found), "")


def _step(step: Mapping[str, Any], scenario: str) -> tuple[str, ...]:
    comparison = (step.get("against_previous") or {}).get(scenario)
    summary = (step["scenarios"].get(scenario) or {}).get("summary") or {}
    total = summary.get("total") or {}
    return (
        rows.label(step),
        words.claims(step),
        words.seconds(total.get("median_s")),
        words.moved(comparison, "total") if comparison else words.NOTHING,
        words.verdict(comparison) or words.NOTHING,
    )


def _start(start: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"## {plain(start['source'])}", "")
    ends = f" ± {words.seconds(start['total_uncertainty_s'])}" if start["total_s"] else ""
    yield from (f"{plain(start['outcome'])}, {words.seconds(start['total_s'])}{ends}", "")
    yield from _table(
        ("phase", "seconds", "proof"),
        (
            (
                name(phase["name"]),
                f"{phase['seconds']:.2f}",
                rows.proof(phase["evidence"][0]) if phase["evidence"] else "",
            )
            for phase in start["phases"]
        ),
    )


def _table(heads: Sequence[str], found: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in found:
        yield f"| {' | '.join(plain(cell) for cell in row)} |"
    yield ""
