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

_SMALL_P = 0.001
_STYLES: dict[str, str] = {
    Verdict.FASTER: "bold green",
    Verdict.SLOWER: "bold red",
    Verdict.NOT_COMPARABLE: "bold yellow",
}


def print_comparison(console: Console, document: Mapping[str, Any]) -> None:
    """Write it to the console."""
    first, second = document["first"], document["second"]
    sides = (f"{visible(side['name'])} ({side['rounds']})" for side in (first, second))
    verdict = document["verdict"]
    console.print(Text(" against ".join(sides)))
    console.print(Text(f"{verdict}", style=_STYLES.get(verdict, "bold")))
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
        interval = ""
        if one["low_s"] is not None:
            interval = f"{one['low_s']:+.2f} to {one['high_s']:+.2f} s"
        held = None if one["name"] == TOTAL else one["p_adjusted"]
        told = one["verdict"] or ("also moved" if one["also_moved"] else "")
        table.add_row(
            Text(visible(one["name"]), style="bold" if one["claimed"] else ""),
            f"{one['first']['median_s']:.2f} s",
            f"{one['second']['median_s']:.2f} s",
            f"{one['difference_s']:+.2f} s",
            interval,
            _probability(one["p"]),
            _probability(held),
            _could_be_seen(one),
            Text(told, style=_STYLES.get(told, "" if one["claimed"] else "dim")),
        )
    return table


def _probability(p: float | None) -> str:
    """Of one question, or of one among several after Holm; nothing where there is none."""
    return "" if p is None else f"{p:.3f}" if p >= _SMALL_P else f"{p:.0e}"


def _could_be_seen(one: Mapping[str, Any]) -> str:
    """The smallest effect; with few rounds and many questions there may be none."""
    if one["smallest_effect_s"] is not None:
        return f"{one['smallest_effect_s']:.2f} s"
    return "nothing" if one["p"] is not None else ""


def _below(document: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    for name, side in (("A", document["first"]), ("B", document["second"])):
        for left in side["left_out"]:
            yield f"left out of {name}: {visible(left['round'])}: {left['why']}"
    if document["declared"]:
        changed = ", ".join(visible(one["name"]) for one in document["declared"])
        yield f"changed, as you said: {changed}"
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
