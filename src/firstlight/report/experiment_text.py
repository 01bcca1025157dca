"""
A run of a plan as text, from its document alone.

For each step: what it changed, what it claimed to move and how much that moved, with the
interval and the smallest effect these rounds could have shown, what else moved, whether the
technique took effect, and whether the engine still serves as it did.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from firstlight.report.escape import visible

_NOTHING = "-"
_COLUMNS = ("step", "scenario", "n", "median", "lowest to highest", "effect", "compile cache")


def print_experiment(out: Console, document: Mapping[str, Any]) -> None:
    """The whole of it."""
    out.print(Text(visible(document["name"]), style="bold"))
    out.print()
    out.print(rounds_table(document))
    for step in document["steps"][1:]:
        out.print()
        _print_step(out, document, step)
    out.print()
    for line in _ending(document):
        out.print(visible(line), soft_wrap=True)


def rounds_table(document: Mapping[str, Any]) -> Table:
    """One row a step and scenario."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in _COLUMNS:
        table.add_column(head, justify="right" if head in _COLUMNS[2:5] else "left")
    for step in document["steps"]:
        for scenario, told in step["scenarios"].items():
            counted = [r for r in told["rounds"] if r["counts"]]
            total = told["summary"]["total"]
            cells = [_NOTHING, _NOTHING]
            if total:
                spread = f"{total['lowest_s']:.2f} to {total['highest_s']:.2f} s"
                cells = [f"{total['median_s']:.2f} s", spread]
            table.add_row(
                visible(step["name"]),
                scenario,
                str(len(counted)),
                *cells,
                visible(_counted(told["effect"])),
                visible(", ".join(dict.fromkeys(r["cache_verdict"] for r in counted))),
            )
    return table


def plan_lines(step: Mapping[str, Any]) -> Iterator[str]:
    """A step of a plan before it is run."""
    what = step["technique"] and step["title"]
    yield f"{step['number']} {step['name']}" + (f": {what}" if what else "")
    for change in step["change"]:
        yield f"    {change}"
    if step["claims"]:
        yield f"    claims to shorten {', '.join(step['claims'])}"
    for sentence in step["beforehand"]:
        yield f"    to be done beforehand: {sentence}"


def _print_step(out: Console, document: Mapping[str, Any], step: Mapping[str, Any]) -> None:
    before = document["steps"][step["number"] - 1]["name"]
    head = f"{step['number']} {step['name']}, against {before}"
    out.print(Text(visible(head), style="bold"), soft_wrap=True)
    for line in step["change"]:
        out.print(visible(f"  {line}"), soft_wrap=True)
    for scenario in document["scenarios"]:
        told = step["scenarios"][scenario]
        against = step["against_previous"].get(scenario)
        if against is None:
            out.print(f"  {scenario}: nothing to compare yet")
            continue
        for line in _lines(scenario, told, against):
            out.print(visible(f"  {line}"), soft_wrap=True)


def _lines(scenario: str, told: Mapping[str, Any], against: Mapping[str, Any]) -> Iterator[str]:
    for reason in against["against"]:
        yield f"{scenario}, NOT COMPARABLE: {reason}"
    for metric in against["metrics"]:
        if metric["claimed"]:
            yield f"{scenario}, {metric['name']}: {_metric(metric)}"
    moved = [m for m in against["metrics"] if m["also_moved"]]
    if moved:
        also = ", ".join(f"{m['name']} {m['difference_s']:+.2f} s" for m in moved)
        yield f"{scenario}, also moved: {also}"
    if against["not_applied"]:
        yield f"{scenario}: NOT APPLIED, so nothing of this is the technique's: {_says(told)}"
    else:
        yield f"{scenario}, technique: {_counted(told['effect'])} ({_says(told)})"
    if told["serving"]:
        yield f"{scenario}, serving: {_serving(told['serving'])}"
    for note in against.get("notes", ()):
        yield f"{scenario}: {note}"


def _metric(metric: Mapping[str, Any]) -> str:
    words = (
        f"{metric['a']['median_s']:.2f} -> {metric['b']['median_s']:.2f} s "
        f"({metric['difference_s']:+.2f} s"
    )
    if metric["low_s"] is not None:
        words += f", {metric['low_s']:+.2f} to {metric['high_s']:+.2f}"
    words += f"): {metric['verdict']}"
    if metric["smallest_effect_s"] is not None:
        words += f"; these rounds could have shown {metric['smallest_effect_s']:.2f} s"
    return words


def _serving(serving: Mapping[str, Any]) -> str:
    if serving["problems"]:
        return f"a request was not answered: {serving['problems'][0]}"
    words = f"first token {_ms(serving['ttft_s'])}, whole answer {_ms(serving['e2e_s'])}"
    if serving["same_text"] is not None:
        return f"{words}; says {'the same' if serving['same_text'] else 'SOMETHING ELSE'}"
    if serving["lowest_agreement"] is not None:
        own = serving["baseline_agreement"]
        return (
            f"{words}; {serving['lowest_agreement']:.0%} of the tokens agree with the baseline "
            f"(its own rounds: {own:.0%})"
        )
    return words


def _ms(value: float | None) -> str:
    return _NOTHING if value is None else f"{value * 1000:.0f} ms"


def _says(told: Mapping[str, Any]) -> str:
    says = [r["effect"]["says"] for r in told["rounds"] if r["counts"]]
    return "; ".join(dict.fromkeys(says)) or "no round counts"


def _counted(states: Mapping[str, int]) -> str:
    if len(states) == 1:
        return next(iter(states))
    return ", ".join(f"{state} {count}x" for state, count in states.items()) or _NOTHING


def _ending(document: Mapping[str, Any]) -> Sequence[str]:
    lines: list[str] = []
    for kind, by_scenario in document["totals"].items():
        for scenario, total in by_scenario.items():
            names = ", ".join(total["steps"])
            lines.append(
                f"{kind}, {scenario}: {total['from_s']:.2f} -> {total['to_s']:.2f} s with {names}"
            )
    lines += [f"estimate, {one['seconds']:.2f} s: {one['says']}" for one in document["estimates"]]
    lines += _failed(document)
    drift = document["drift"]
    if drift and drift["seen"]:
        grew = "longer" if drift["correlation"] > 0 else "shorter"
        lines.append(
            f"drift: later rounds are {grew} (rank correlation {drift['correlation']:+.2f}, "
            f"p {drift['p']:.3f}, {drift['rounds']} rounds)"
        )
    lines += [f"note: {note}" for note in document["notes"]]
    lines += [f"limit: {limit}" for limit in document["limits"]]
    if document["stopped"]:
        lines.append(f"STOPPED: {document['stopped']['why']}")
    return lines


def _failed(document: Mapping[str, Any]) -> list[str]:
    return [
        f"failed: {one['slot']}, try {one['attempt']}: {one['cause']}"
        for step in document["steps"]
        for told in step["scenarios"].values()
        for one in told["rounds"]
        if one["outcome"] != "ready"
    ]
