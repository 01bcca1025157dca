"""
A comparison as a table: what was fixed beforehand first, then what else moved, then the rest.

Everything is read from the document that `compare --output json` prints.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from firstlight.compare.sets import TOTAL
from firstlight.compare.verdict import Verdict
from firstlight.report.escape import visible
from firstlight.report.experiment import words

_SMALL_P = 0.001
_STYLES: dict[str, str] = {
    Verdict.FASTER: "bold green",
    Verdict.SLOWER: "bold red",
    Verdict.NOT_COMPARABLE: "bold yellow",
    Verdict.NOT_APPLIED: "bold yellow",
}


def print_comparison(console: Console, document: Mapping[str, Any]) -> None:
    """Write it to the console."""
    first, second = document["first"], document["second"]
    sides = (f"{visible(side['name'])} ({side['rounds']})" for side in (first, second))
    verdict = document["verdict"]
    console.print(Text(" against ".join(sides)))
    console.print(Text(f"{verdict}", style=_STYLES.get(verdict, "bold")))
    if document.get("not_applied"):
        console.print(Text("- nothing of this is the technique's: " + _shown(document["effect"])))
    for reason in document["against"]:
        console.print(Text(f"- {visible(reason)}"))
    if document["undeclared"]:
        name = visible(document["undeclared"][0]["name"])
        option = "--scenarios" if name == "scenario" else f"--changed '{name}'"
        console.print(Text(f"  where that is what you changed, say so: {option}"))
    if document["metrics"]:
        console.print()
        console.print(_table(document))
    for line in _below(document):
        console.print(Text(line))


def _table(document: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for head in ("A", "B", "change", "95 % interval", "p", "p (Holm)", "could be seen"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for one in document["metrics"]:
        held = None if one["name"] == TOTAL else one["p_adjusted"]
        told = _told(one, off=bool(document.get("not_applied")))
        table.add_row(
            Text(visible(one["name"]), style="bold" if one["claimed"] else ""),
            *_lengths(one),
            _probability(one["p"]),
            _probability(held),
            _could_be_seen(one),
            Text(told, style=_STYLES.get(told, "" if one["claimed"] else "dim")),
        )
    return table


def _told(one: Mapping[str, Any], *, off: bool) -> str:
    """The verdict on a row, or what else is to be said of it."""
    if not one["seen"]:
        return Verdict.NOT_SEEN
    if one["claimed"]:
        return Verdict.NOT_APPLIED if off else str(one["verdict"])
    return "also moved" if one["also_moved"] else ""


def _lengths(one: Mapping[str, Any]) -> Iterator[str]:
    """Both medians, the change and its interval; the two pairs each of one unit."""
    medians = [one[side]["median_s"] for side in ("first", "second")]
    yield from (words.seconds(median_s, beside=medians) for median_s in medians)
    ends = (one["low_s"], one["high_s"])
    far = (one["difference_s"], *ends)
    change, low, high = (words.seconds(value, signed=True, beside=far) for value in far)
    yield change
    yield "" if None in ends else f"{low} to {high}"


def _probability(p: float | None) -> str:
    """Of one question, or of one among several after Holm; nothing where there is none."""
    return "" if p is None else f"{p:.3f}" if p >= _SMALL_P else f"{p:.0e}"


def _could_be_seen(one: Mapping[str, Any]) -> str:
    """The smallest effect; with few rounds and many questions there may be none."""
    if one["smallest_effect_s"] is not None:
        return words.seconds(one["smallest_effect_s"])
    return "nothing" if one["p"] is not None else ""


def _below(document: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    for name, side in (("A", document["first"]), ("B", document["second"])):
        for left in side["left_out"]:
            yield f"left out of {name}: {visible(left['round'])}: {left['why']}"
    if document["declared"]:
        changed = ", ".join(visible(one["name"]) for one in document["declared"])
        yield f"changed, as you said: {changed}"
    if document.get("effect") and not document["not_applied"]:
        yield f"technique: {_shown(document['effect'])}"
    if document["outliers"]:
        yield f"far out, and kept: {', '.join(map(visible, document['outliers']))}"
    drift = document["drift"]
    if drift and drift["seen"]:
        grew = "longer" if drift["correlation"] > 0 else "shorter"
        yield (
            f"the run drifted: later rounds are {grew} (rank correlation "
            f"{drift['correlation']:+.2f}, p {drift['p']:.3f})"
        )
    for note in document["notes"]:
        yield f"note: {visible(note)}"
    if document.get("scenarios"):
        yield from _scenarios(document["scenarios"])
    if document["metrics"]:
        yield ""
        yield from (f"method: {line}" for line in document["method"])


def _shown(effect: Mapping[str, Any]) -> str:
    """What the rounds after the change show of the technique."""
    states = ", ".join(f"{state} in {n}" for state, n in effect["rounds"].items())
    rounds = states or "no round counts"
    says = "; ".join(map(visible, effect["says"]))
    return f"{visible(effect['technique'])} in the rounds of B: {rounds}" + (
        f" ({says})" if says else ""
    )


def _scenarios(found: Mapping[str, Any]) -> Iterator[str]:
    parts = [f"{part['away_s']:.1f} {part['name']}" for part in found["went_away"]]
    yield (
        f"{found['first_s']:.1f} s to {found['second_s']:.1f} s: {found['difference_s']:.1f} s = "
        f"{' + '.join(parts)} + {found['remainder_s']:.1f} remainder "
        f"(± {found['uncertainty_s']:.1f} s)"
    )
    for part in found["came_back"]:
        yield (
            f"came back: {part['name']} {part['second_s']:.1f} s ({part['first_s']:.1f} s before)"
        )
