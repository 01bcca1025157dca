"""
What each choice costs, as a table; then the cheapest, the break-even, the window, what matters.

Everything is read from the document that `breakeven --output json` prints.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from firstlight.core.amounts import length, money, number, short
from firstlight.report.escape import visible

_ROWS = 12
_BAR = 30
_NOTHING = 1e-9
"""A difference in cost that only the rounding of numbers makes."""


def print_breakeven(console: Console, document: Mapping[str, Any]) -> None:
    """Write the answer to the console."""
    console.print(Text("estimates", style="bold").append(f" · {visible(document['arrivals'])}"))
    for part in _givens(document):
        console.print(part)
    console.print()
    console.print(_choices(document))
    for below in _below(document):
        console.print(below)
    for sentence in document["says"]:
        console.print(Text(f"- {visible(sentence)}"))
    for note in document["notes"]:
        console.print(Text(f"note: {visible(note)}", style="dim"))


def _givens(document: Mapping[str, Any]) -> Iterator[Text]:
    prices, rule = document["prices"], document["rule"]
    yield Text(
        f"node {money(prices['node_per_hour'])} an hour, waiting {money(prices['penalty_per_s'])} "
        f"a second and user; down after {length(rule['idle_s'])} idle"
    )
    for scenario, one in document["starts"].items():
        yield Text(f"{scenario}: {_start(one)}")


def _start(one: Mapping[str, Any]) -> str:
    seconds = one["seconds"]
    measured = one["origin"] == "measured"
    if len(seconds) == 1:
        return f"{short(one['mean_s'])}, stated, not measured"
    whose = f"{len(seconds)} measured" if measured else f"{len(seconds)} stated, not measured"
    exact = f", each ± {short(one['uncertainty_s'])}" if one["uncertainty_s"] else ""
    where = f" ({visible(one['source'])})" if one["source"] else ""
    return (
        f"mean {short(one['mean_s'])}, {whose}, {short(min(seconds))} to {short(max(seconds))}"
        f"{exact}{where}"
    )


def _choices(document: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("choice", no_wrap=True)
    for head in (
        "node h/day",
        "node",
        "returns/day",
        "wait, mean",
        "p95",
        "per request",
        "waiting/day",
        "its price",
        "total/day",
    ):
        table.add_column(head, justify="right", no_wrap=True)
    cheapest = document["cheapest"]["choice"]
    for one in document["choices"]:
        name = one["choice"]
        if name == "keep the node":
            name += f", {length(_endless(document['rule']['retention_s']))}"
        table.add_row(
            Text(name, style="bold" if one["choice"] == cheapest else ""),
            f"{one['node_h_per_day']:.2f}",
            money(one["node_cost_per_day"]),
            number(one["returns_per_day"]),
            _wait(one["wait_mean_s"]),
            _wait(one["wait_p95_s"]),
            _wait(one["wait_per_request_s"]),
            length(one["waiting_s_per_day"]) if one["waiting_s_per_day"] else "0",
            money(one["waiting_cost_per_day"]),
            money(one["total_per_day"]),
        )
    return table


def _endless(length_s: float | None) -> float:
    return float("inf") if length_s is None else length_s


def _wait(wait_s: float | None) -> str:
    if wait_s is None:
        return "-"
    return short(wait_s) if wait_s else "0"


def _below(document: Mapping[str, Any]) -> Iterator[RenderableType]:
    for one in document["not_priced"]:
        yield Text(f"not priced: {one['choice']} {visible(one['why'])}", style="yellow")
    yield Text()
    yield _cheapest(document["cheapest"])
    if document["break_even"]:
        yield _break_even(document["break_even"])
    if document["curve"]:
        yield Text("\nthe window: what the kept node costs a day, all in all", style="bold")
        yield _curve(document["curve"], document["best_window"])
    yield Text()
    yield _sensitivity(document["sensitivity"], document["cheapest"])
    yield Text()


def _cheapest(found: Mapping[str, Any]) -> Text:
    line = Text("cheapest: ", style="bold")
    line.append(found["choice"], style="bold green")
    for one in found["others"]:
        if one["more_per_day"] < _NOTHING:
            line.append(f"\n  as much as {one['choice']}", style="")
            continue
        line.append(f"\n  {money(one['more_per_day'])} a day less than {one['choice']}", style="")
        line.append(f" ({_between(one['interval'])})", style="")
    methods = {one["interval"]["method"] for one in found["others"] if one["interval"]}
    for method in methods:
        line.append(f"\n  intervals: {method}", style="dim")
    return line


def _between(interval: Mapping[str, Any] | None) -> str:
    if interval is None:
        return "no interval"
    low, high = money(interval["low"]), money(interval["high"])
    return f"{100 * interval['confidence']:.3g}% interval {low} to {high}"


def _break_even(found: Mapping[str, Any]) -> Text:
    saved = found["saved_interval"]
    ends = saved and sorted((abs(saved["low_s"]), abs(saved["high_s"])))
    if saved and saved["low_s"] < 0 < saved["high_s"]:
        ends = [saved["low_s"], saved["high_s"]]
    between = (
        f" ({short(ends[0])} to {short(ends[1])}, {saved['method']})" if saved else " (no interval)"
    )
    if found["saved_s"] <= 0:
        return _nothing_saved(found, between)
    formula, everybody, totals = (
        found[f"break_even_hit_rate{which}"] for which in ("", "_of_all", "_of_totals")
    )
    if formula is not None:
        waiting = (
            f"a hit rate of {_rate(formula)} with one user waiting, of {_rate(everybody)} with "
            "all who wait"
        )
    else:
        waiting = "no hit rate: no waiting is priced"
    equal = "at no hit rate" if totals is None else f"at a hit rate of {_rate(totals).rstrip(',')}"
    return Text(
        f"keeping the node: a hit saves {short(found['saved_s'])}{between}; keeping costs "
        f"{money(found['retention_cost_per_return'])} a return, at a hit rate of "
        f"{found['hit_rate']:.0%}\n"
        f"  by the waiting alone it breaks even at {waiting}\n"
        f"  a hit saves paid node seconds, too: it costs as much as scaling to zero {equal}"
    )


def _nothing_saved(found: Mapping[str, Any], between: str) -> Text:
    """Of warm starts that are no shorter than cold ones."""
    keeping = f"keeping costs {money(found['retention_cost_per_return'])} a return"
    if found["saved_s"] == 0:
        return Text(f"keeping the node: a hit saves nothing{between}, and {keeping}")
    more = f"a hit costs {short(-found['saved_s'])} more{between}, and {keeping}"
    return Text(f"keeping the node: {more}: are cold and warm swapped?", style="yellow")


def _rate(rate: float) -> str:
    return f"{rate:.0%}" if rate <= 1 else f"{rate:.0%}, that is never,"


def _curve(points: Sequence[Mapping[str, Any]], best: Mapping[str, Any]) -> Table:
    shown = _some(points, best)
    most = max(one["total_per_day"] for one in shown) - best["total_per_day"] or 1.0
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("window", "hits", "kept h/day", "total/day", "above the best"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for one in shown:
        above = one["total_per_day"] - best["total_per_day"]
        table.add_row(
            "none" if one["retention_s"] == 0 else length(_endless(one["retention_s"])),
            f"{one['hit_rate']:.0%}",
            f"{one['kept_h_per_day']:.2f}",
            money(one["total_per_day"]),
            money(above),
            Text("best" if one == best else "█" * round(_BAR * above / most)),
        )
    return table


def _some(
    points: Sequence[Mapping[str, Any]], best: Mapping[str, Any]
) -> Sequence[Mapping[str, Any]]:
    """A few points, evenly chosen by how many hits they bring, and the best one."""
    if len(points) <= _ROWS:
        return points
    last = len(points) - 1
    most = points[last]["hit_rate"]
    at = {0, last, next(k for k, one in enumerate(points) if one == best)}
    for step in range(1, _ROWS - 2):
        wanted = most * step / (_ROWS - 2)
        at.add(min(range(len(points)), key=lambda k: abs(points[k]["hit_rate"] - wanted)))
    return [points[k] for k in sorted(at)]


def _sensitivity(varied: Sequence[Mapping[str, Any]], found: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("what it hangs on most", no_wrap=True)
    lead = f"lead before {found['rival']} {money(found['lead_per_day'])}; at -20 %"
    table.add_column(lead, justify="right", no_wrap=True)
    table.add_column("at +20 %", justify="right", no_wrap=True)
    table.add_column("cheapest then", no_wrap=True)
    for one in varied:
        low, high = one["cheapest_at_80_percent"], one["cheapest_at_120_percent"]
        table.add_row(
            one["input"],
            money(one["lead_at_80_percent"]),
            money(one["lead_at_120_percent"]),
            Text(f"{low} at -20 %, {high} at +20 %" if one["flips"] else "the same"),
        )
    return table
