"""
A document as Markdown, for a pull request or a wiki: tables and sentences, no pictures.

Words of others have their markup taken off, so that a log line cannot become a heading, a
link or a row of its own. What a wiki makes a link of without any markup (an address, somebody's
name after an @, the number of an issue) stands as code: nobody is notified by a log.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from firstlight.report.escape import visible
from firstlight.report.experiment import rows, run_state, words
from firstlight.report.experiment.headline import headline
from firstlight.report.experiment.palette import name
from firstlight.report.experiment.together import HEADS, together

MARK = "<!-- made by firstlight report -->"
"""Nobody sees it; by it a report is known that may be written over."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#+!|~&$])")
_WORD = re.compile(r"[^\s`|]+")
_MADE_A_LINK = re.compile(
    r"://|www\.|@|#\d|\bgh-\d|\bmailto:|(?<!\w):[a-z+-][\w+-]*:"
    r"|\b(?=\d*[a-f])[0-9a-f]{7,40}\b",
    re.IGNORECASE,
)
"""In a word that GitHub and its like make a link, a mention or a picture of."""


def markdown(document: Mapping[str, Any]) -> str:
    """The document of an experiment, or of what `explain` prints."""
    lines = [MARK, f"# {plain(document.get('name') or 'vLLM starts')}", ""]
    if "steps" in document:
        lines += _experiment(document)
    for start in document.get("starts") or ():
        lines += _start(start)
    return "\n".join(lines).rstrip() + "\n"


def plain(text: object) -> str:
    """Words of others without the power of markup."""
    words = " ".join(visible(str(text)).split())
    told, at = [], 0
    for found in _WORD.finditer(words):
        if _MADE_A_LINK.search(found[0]):
            told += [_MARKUP.sub(r"\\\1", words[at : found.start()]), f"`{found[0]}`"]
            at = found.end()
    return "".join([*told, _MARKUP.sub(r"\\\1", words[at:])])


def _experiment(document: Mapping[str, Any]) -> Iterator[str]:
    for notice in _notices(document):
        yield from (f"**{plain(notice)}**", "")
    steps: Sequence[Mapping[str, Any]] = document["steps"]
    for scenario in dict.fromkeys(s for step in steps for s in step["scenarios"]):
        yield from (f"## {plain(scenario)}", "", plain(headline(document, scenario)), "")
        yield from _table(_HEADS, (_step(step, scenario) for step in steps))
        yield from _list("", words.notes(document, scenario))
        yield from _list("Left out of these comparisons:", words.left_out(document, scenario))
        drawn = {rows.label(step): words.beside_median(step, scenario) for step in steps}
        told = [f"{label}: {said}" for label, said in drawn.items() if said]
        yield from _list("Phases of the round nearest to the median:", told)
        yield from _table(
            ("step", "phase", "seconds", "share"),
            (
                (row["step"], row["phase"], f"{row['seconds']:.2f}", words.share(row["share"]))
                for row in rows.stacked(steps, scenario)
            ),
        )
    told = [f"{rows.label(step)}: {said}" for step in steps for said in rows.own_words(step)]
    if told:
        yield from ("## Changes of one's own", "")
        yield from _list("", told)
    if summed := together(document):
        yield from ("## Together", "")
        yield from _table(HEADS, summed)
    if failed := run_state.failed(document):
        yield from ("## Tries that failed", "")
        yield from _list("", failed)
    for title in ("method", "limits", "notes"):
        found = [*(document.get(title) or ())]
        if title == "method" and (drift := run_state.drift(document)):
            found.append(drift)
        if found:
            yield from (f"## {title.capitalize()}", "")
            yield from _list("", found)


def _notices(document: Mapping[str, Any]) -> Iterator[str]:
    """What has to be known before anything is read."""
    unfinished = run_state.unfinished(document)
    if stopped := document.get("stopped"):
        yield f"The plan stopped before its end: {stopped['why']}."
    if unfinished:
        yield f"Not at its end: {unfinished}."
    if (document.get("drift") or {}).get("seen"):
        yield run_state.drift(document)


_HEADS = (
    "step",
    "verdict",
    "serving",
    "total, median",
    "n",
    "change",
    "found four times in five",
    "claims to move",
    "took effect",
    "also moved",
)


def _step(step: Mapping[str, Any], scenario: str) -> tuple[str, ...]:
    comparison = (step.get("against_previous") or {}).get(scenario) or {}
    summary = (step["scenarios"].get(scenario) or {}).get("summary") or {}
    total = summary.get("total") or {}
    return (
        rows.label(step),
        words.verdict(comparison) or words.no_verdict(step, scenario),
        words.served(step, scenario) or words.NOTHING,
        words.seconds(total.get("median_s")),
        str(summary.get("n", 0)),
        words.moved(comparison, "total"),
        words.smallest(comparison),
        words.claims(step),
        words.effect(step, scenario),
        words.also_moved(comparison) or words.NOTHING,
    )


def _list(title: str, found: Sequence[str]) -> Iterator[str]:
    """Nothing of nothing."""
    if not found:
        return
    if title:
        yield from (title, "")
    yield from (*(f"- {plain(one)}" for one in found), "")


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
