"""
A run of a plan as text, from its document alone.

For each step: what it changed, what it claimed to move and how much that moved, with the
interval and the effect that such rounds find four times in five, what else moved, whether the
technique took effect, and whether the engine still serves as it did.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from firstlight.report.escape import visible
from firstlight.report.experiment import run_state, words
from firstlight.report.experiment.headline import headline
from firstlight.report.experiment.rows import own_words
from firstlight.report.experiment.together import together

_COLUMNS = ("step", "scenario", "n", "median", "lowest to highest", "effect", "compile cache")
_OF_FIGURES = _COLUMNS[2:5]


def print_experiment(out: Console, document: Mapping[str, Any]) -> None:
    """The whole of it; what came of it first."""
    out.print(Text(visible(document["name"]), style="bold"))
    for line in _beginning(document):
        out.print(visible(line), soft_wrap=True)
    out.print()
    out.print(rounds_table(document))
    for step in document["steps"][1:]:
        out.print()
        _print_step(out, document, step)
    out.print()
    for line in _ending(document):
        out.print(visible(line), soft_wrap=True)


def _beginning(document: Mapping[str, Any]) -> Iterator[str]:
    unfinished = run_state.unfinished(document)
    if document["stopped"]:
        yield f"STOPPED: {document['stopped']['why']}"
    if unfinished:
        yield f"NOT AT ITS END: {unfinished}"
    for scenario in document["scenarios"]:
        yield f"{scenario}: {headline(document, scenario)}"


def rounds_table(document: Mapping[str, Any]) -> Table:
    """One row a step and scenario."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in _COLUMNS:
        table.add_column(head, justify="right" if head in _OF_FIGURES else "left")
    for step in document["steps"]:
        for scenario, told in step["scenarios"].items():
            counted = [r for r in told["rounds"] if r["counts"]]
            total = told["summary"]["total"]
            cells = [words.NOTHING, words.NOTHING]
            if total:
                spread = [words.seconds(total[end]) for end in ("lowest_s", "highest_s")]
                cells = [words.seconds(total["median_s"]), " to ".join(spread)]
            table.add_row(
                visible(step["name"]),
                scenario,
                str(len(counted)),
                *cells,
                visible(words.effect(step, scenario)),
                visible(", ".join(dict.fromkeys(r["cache_verdict"] for r in counted))),
            )
    return table


def plan_lines(step: Mapping[str, Any]) -> Iterator[str]:
    """A step of a plan before it is run."""
    what = step["title"] if step["technique"] else step["says"]
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
    for line in (*own_words(step), *step["change"]):
        out.print(visible(f"  {line}"), soft_wrap=True)
    for scenario in document["scenarios"]:
        against = step["against_previous"].get(scenario)
        if against is None:
            out.print(visible(f"  {scenario}: {words.no_verdict(step, scenario)}"), soft_wrap=True)
            continue
        for line in _lines(scenario, step, against):
            out.print(visible(f"  {line}"), soft_wrap=True)


def _lines(scenario: str, step: Mapping[str, Any], against: Mapping[str, Any]) -> Iterator[str]:
    told = step["scenarios"][scenario]
    if against["not_applied"]:
        yield f"{scenario}: NOT APPLIED, so nothing of this is the technique's: {_says(told)}"
    for reason in against["against"]:
        yield f"{scenario}, NOT COMPARABLE: {reason}"
    for metric in against["metrics"]:
        if metric["claimed"]:
            yield f"{scenario}, {metric['name']}: {_metric(metric, off=against['not_applied'])}"
    if also := words.also_moved(against):
        yield f"{scenario}, also moved: {also}"
    if step["technique"] and not against["not_applied"]:
        yield f"{scenario}, technique: {words.effect(step, scenario)} ({_says(told)})"
    if told["serving"]:
        yield f"{scenario}, serving: {_serving(step, scenario)}"
    for note in against.get("notes", ()):
        yield f"{scenario}: {words.sentence(note)}"


def _metric(metric: Mapping[str, Any], *, off: bool) -> str:
    first, second = (words.seconds(metric[side]["median_s"]) for side in ("first", "second"))
    verdict = "not applied" if off else metric["verdict"]
    if metric["difference_s"] is None:
        return str(verdict)
    text = f"{first} -> {second}, {words.change(metric)}: {verdict}"
    if metric["smallest_effect_s"] is not None:
        smallest = words.seconds(metric["smallest_effect_s"])
        text += f"; an effect of {smallest} would be found four times in five"
    return text


def _serving(step: Mapping[str, Any], scenario: str) -> str:
    told = step["scenarios"][scenario]["serving"]
    says = words.serving(step, scenario)
    if told["problems"]:
        return says
    first, whole = (words.milliseconds(told[which]) for which in ("ttft_s", "e2e_s"))
    times = f"first token {first}, whole answer {whole}"
    return f"{times}; {says}" if says else times


def _says(told: Mapping[str, Any]) -> str:
    says = [r["effect"]["says"] for r in told["rounds"] if r["counts"]]
    return "; ".join(dict.fromkeys(says)) or "no round counts"


def _ending(document: Mapping[str, Any]) -> Iterator[str]:
    for steps, scenario, begins, ends, change, verdict, known in together(document):
        if ends == words.NOTHING:
            yield f"{scenario}, {steps}: {known}: {verdict}"
        elif change == words.NOTHING:
            yield f"{scenario}, {known} {ends} (from {begins}), {steps}"
        else:
            yield f"{scenario}, {steps}: {begins} -> {ends}, {change}: {verdict}; {known}"
    for scenario in document["scenarios"]:
        for step in document["steps"]:
            if one := words.fixed_request(step, scenario):
                yield f"{scenario}, {step['name']}: {one}"
    yield from (f"failed: {one}" for one in run_state.failed(document))
    for scenario in document["scenarios"]:
        for one in words.left_out(document, scenario):
            yield f"{scenario}, left out: {one}"
    yield run_state.drift(document)
    yield from (f"note: {note}" for note in document["notes"])
    yield from (f"limit: {limit}" for limit in document["limits"])
