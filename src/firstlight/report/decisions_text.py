"""
What became of the decisions, as a table; one of them, in full.

A row says what was decided, whether that stands, and the numbers that say so; then on whose
word it stands. What flips and what is missing is repeated below, with what to do about it.
Everything is read from the document that `decide --output json` prints.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from firstlight.report.escape import visible

_STYLES = {"stands": "green", "flips": "bold red", "cannot be judged": "yellow"}
_SAID = {"stands": " is not so", "flips": " is so", "cannot be judged": ""}


def print_decisions(console: Console, document: Mapping[str, Any], *, in_full: bool) -> None:
    """
    Write the answer to the console.

    Args:
        console: where to.
        document: what `decide` found.
        in_full: one decision with everything that is known about it, instead of a table.
    """
    decisions = document["decisions"]
    if in_full:
        for one in decisions:
            for part in _whole(one):
                console.print(part)
    else:
        console.print(_headline(document))
        console.print()
        console.print(_table(decisions))
        for part in _below(decisions, _command(document)):
            console.print(part)
    for note in document["notes"]:
        console.print(Text(f"note: {visible(note)}", style="dim"))


def _headline(document: Mapping[str, Any]) -> Text:
    register = document["register"]
    line = Text(visible(register) if register else "the built-in register", style="bold")
    counts = document["counts"]
    line.append(
        f" · {sum(counts.values())} decisions: {counts['stands']} stand, {counts['flips']} flip, "
        f"{counts['not_judged']} cannot be judged",
        style="not bold",
    )
    if unused := document["unused"]:
        what = "fact" if len(unused) == 1 else "facts"
        line.append(f"; {len(unused)} {what} given that no condition asks for", style="yellow")
    return line


def _table(decisions: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("technique", "status", "verdict"):
        table.add_column(head, no_wrap=True)
    table.add_column("why: the condition to look again, and on whose word it stands")
    for one in decisions:
        verdict = one["verdict"]
        table.add_row(
            Text(visible(one["technique"]), style="bold"),
            Text(one["status"]),
            Text(verdict, style=_STYLES[verdict]),
            _why(one),
        )
    return table


def _why(one: Mapping[str, Any]) -> Text:
    why = Text(f"{visible(one['condition'])}{_SAID[one['verdict']]}")
    for trouble in one["troubles"]:
        why.append(f"; {visible(trouble)}")
    if one["borrowed"] and len(one["borrowed"]) < len(one["facts"]):
        why.append(f"; not measured by you: {', '.join(one['borrowed'])}")
    why.append(f"\n{visible(one['standing'])}", style="dim")
    if one["status"] == "excluded" and one["at_work"]:
        why.append(f"\nexcluded, and at work in {visible(one['at_work'][0])}", style="yellow")
    return why


def _command(document: Mapping[str, Any]) -> str:
    register = document["register"]
    return f"firstlight decide {visible(register)}" if register else "firstlight decide"


def _below(decisions: list[dict[str, Any]], command: str) -> Iterator[RenderableType]:
    """What to do: about each that flips, and about each fact that is missing."""
    for one in decisions:
        if one["verdict"] != "flips":
            continue
        line = Text("\n! ", style="bold red")
        line.append(f"{visible(one['technique'])} flips", style="bold")
        line.append(
            f": it is {one['status']}, because {visible(one['reason'])}; but "
            f"{visible(one['condition'])}",
            style="not bold",
        )
        if one["borrowed"]:
            names = ", ".join(one["borrowed"])
            line.append(
                f"\n  that hangs on {names} of somebody else's machines: measure yours first"
            )
        if one["status"] == "conditional":
            line.append("\n  if it pays now: make it recommended and turn the condition round")
        again = f"{command} --technique {visible(one['technique'])}"
        line.append(f"\n  → decide again, and write down why; all of it: {again}", style="green")
        turned = f"not ({visible(one['look_again']['when'])})"
        line.append(
            f"\n  with another status turn the condition round, or it goes on flipping: {turned}",
            style="dim",
        )
        yield line
    missing = {gap["name"]: gap for one in decisions for gap in one["missing"]}
    if not missing:
        return
    yield Text(f"\nnot known, and asked for (how to get one: {command} --technique ID):")
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, gap in missing.items():
        table.add_row(Text(f"  {visible(name)}"), Text(_meant(gap)))
    yield table


def _whole(one: Mapping[str, Any]) -> Iterator[RenderableType]:
    verdict = one["verdict"]
    head = Text(visible(one["technique"]), style="bold")
    head.append(f" · {visible(one['title'])} · {one['status']} · ", style="not bold")
    head.append(verdict, style=_STYLES[verdict])
    yield head
    yield Text(f"because {visible(one['reason'])}")
    yield Text(f"  {visible(one['standing'])}; origin {one['origin']}", style="dim")
    for evidence in one["evidence"]:
        said = f": {evidence['says']}" if evidence["says"] else ""
        yield Text(f"  {evidence['origin']}: {visible(evidence['where'] + said)}")
    again = one["look_again"]
    yield Text(f"\nlook again when {visible(again['when'])}")
    says = f"{visible(again['says'])} " if again["says"] else ""
    yield Text(f"  {says}(the condition's origin: {again['origin']})", style="dim")
    yield Text(f"  {visible(one['condition'])}{_SAID[verdict]}", style=_STYLES[verdict])
    for trouble in one["troubles"]:
        yield Text(f"  {visible(trouble)}")
    for fact in one["facts"]:
        unit = f" {fact['unit']}" if fact["unit"] else ""
        whose = visible(fact["source"]) + ("" if fact["own"] else ", not yours")
        says = f"; {visible(fact['says'])}" if fact["says"] else ""
        yield Text(f"  {visible(fact['name'])}: {fact['spelled']}{unit} ({whose}){says}")
    for gap in one["missing"]:
        yield Text(f"  {visible(gap['name'])}: not known; {_meant(gap)}; {visible(gap['how'])}")
    for start in one["at_work"]:
        yield Text(f"  at work in {visible(start)}")


def _meant(gap: Mapping[str, Any]) -> str:
    unit = f" ({gap['unit']})" if gap["unit"] else ""
    return visible(gap["says"]) + unit
