"""
Joining numbers, charts and sentences into one file.

What is foreign in it (names, log lines, paths) reaches the page as text only: the template
escapes all of it, and JSON inside the page has its angle brackets and ampersands spelled out,
so that no log line can end a script. A policy in the page's head forbids every request.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

import jinja2

from firstlight.report.experiment import rows, run_state, words
from firstlight.report.experiment.headline import headline
from firstlight.report.experiment.palette import COLOURS, NAMES, NO_RESULT, name
from firstlight.report.experiment.together import HEADS, together
from firstlight.report.page import charts
from firstlight.report.page.vega import library

_ABSENT: Mapping[str, Any] = {
    "stopped": None,
    "environment": {},
    "method": (),
    "limits": (),
    "notes": (),
    "began": None,
}
"""What a document of plain starts does not have."""
_SEVERAL = 2
"""Rounds of a step from which there is a median to speak of."""
_SPELLED = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}
_FACTS_OF = {
    "weight_load": ("weights_s", "model_load_s", "stream_s", "download_s"),
    "engine_init": (
        "engine_init_s",
        "compile_s",
        "dynamo_s",
        "cache_load_s",
        "profiling_s",
        "graph_capture_s",
    ),
}
"""The facts that the engine prints about a phase, beside which the phase is shown."""


def page(document: Mapping[str, Any], *, script: str | None = None) -> str:
    """
    The page of an experiment's document, or of one that `explain` prints.

    The same document makes the same page, to the byte.

    Args:
        document: what was printed.
        script: the charts' library, where it was made already.
    """
    steps = list(document.get("steps") or ())
    scenarios = list(dict.fromkeys(s for step in steps for s in step["scenarios"]))
    specs: dict[str, Any] = {}
    view = {
        "document": {**_ABSENT, **document},
        "title": document.get("name") or "vLLM starts, second by second",
        "scenarios": [_scenario(document, steps, one, specs) for one in scenarios],
        "starts": [_start(s, n, specs) for n, s in enumerate(document.get("starts") or ())],
        "steps": steps,
        "unfinished": run_state.unfinished(document),
        "drift": run_state.drift(document),
        "has_drifted": bool((document.get("drift") or {}).get("seen")),
        "failed": run_state.failed(document) if steps else [],
        "together": [dict(zip(HEADS, row, strict=True)) for row in together(document)],
        "no_colour": NO_RESULT,
        "phase_colour": {NAMES[phase]: colour for phase, colour in COLOURS.items()},
    }
    return _template().render(
        **view,
        words=words,
        specs=_in_script(specs),
        details=_in_script({key: spec["rows"] for key, spec in _waterfalls(view)}),
        style=_own("page.css"),
        script=_own("page.js"),
        library=script or library(),
    )


def _scenario(
    document: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    scenario: str,
    specs: dict[str, Any],
) -> dict[str, Any]:
    """Everything of one kind of start, its charts put among the specifications."""
    key = f"chart-{scenario}"
    parts = {
        "stacked": (rows.stacked(steps, scenario), charts.stacked),
        "dots": (rows.dots(steps, scenario), charts.dots),
        "gains": (rows.gains(steps, scenario), charts.gains),
    }
    for part, (found, draw) in parts.items():
        if found:
            specs[f"{key}-{part}"] = draw(found)
    bought = [_bought(step, scenario) for step in steps]
    waterfalls = []
    for step in steps:
        one = rows.shown_round(step, scenario)
        if one is not None:
            where = f"{key}-waterfall-{step['number']}"
            title = f"{rows.label(step)}, round {one['slot']}"
            waterfalls.append(_waterfall(where, title, one, specs))
    return {
        "name": scenario,
        "key": key,
        "headline": headline(document, scenario),
        "bought": bought,
        "has_also": any(one["also"] for one in bought),
        "notes": words.notes(document, scenario),
        "left_out": words.left_out(document, scenario),
        "one_round": all(len(rows.results(step, scenario)) < _SEVERAL for step in steps),
        "waterfalls": waterfalls,
    } | {part: found for part, (found, _) in parts.items()}


def _bought(step: Mapping[str, Any], scenario: str) -> dict[str, Any]:
    """What one step came to."""
    against = (step.get("against_previous") or {}).get(scenario)
    return {
        "step": rows.label(step),
        "verdict": words.verdict(against) or words.no_verdict(step, scenario),
        "serving": words.served(step, scenario),
        "otherwise": words.serves_otherwise(step, scenario),
        "change": words.moved(against, "total") if against else words.NOTHING,
        "smallest": words.smallest(against) if against else words.NOTHING,
        "claims": words.claims(step),
        "effect": words.effect(step, scenario),
        "also": words.also_moved(against) if against else "",
        "drawn": words.beside_median(step, scenario),
    }


def _start(start: Mapping[str, Any], number: int, specs: dict[str, Any]) -> dict[str, Any]:
    """One explained start; without a total there is nothing to draw it on."""
    waterfall = None
    if start.get("total_s"):
        waterfall = _waterfall(f"chart-start-{number}", str(start["source"]), start, specs)
    return {"start": start, "waterfall": waterfall}


def _waterfall(
    key: str, title: str, one: Mapping[str, Any], specs: dict[str, Any]
) -> dict[str, Any]:
    found = rows.bars(one["phases"], one["total_s"])
    specs[key] = charts.waterfall(found)
    return {
        "key": key,
        "title": title,
        "rows": found,
        "total": one["total_s"],
        "uncertainty": one.get("total_uncertainty_s", one.get("uncertainty_s")),
        "facts": list(_facts(one)),
    }


def _facts(one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What the engine printed beside the phase that it is about."""
    lengths = {phase["name"]: phase["seconds"] for phase in one["phases"]}
    for phase, facts in _FACTS_OF.items():
        for fact in facts:
            printed = (one.get("facts") or {}).get(fact) or ()
            if printed and phase in lengths:
                yield {
                    "phase": name(phase),
                    "seconds": lengths[phase],
                    "fact": fact.removesuffix("_s").replace("_", " "),
                    "printed": ", ".join(str(value) for value in printed),
                }


def _waterfalls(view: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for scenario in view["scenarios"]:
        for one in scenario["waterfalls"]:
            yield one["key"], one
    for start in view["starts"]:
        if start["waterfall"]:
            yield start["waterfall"]["key"], start["waterfall"]


def _in_script(value: Any) -> str:
    """JSON that cannot end the script it stands in."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    for character, spelled in _SPELLED.items():
        text = text.replace(character, spelled)
    return text


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("firstlight.report", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2")


def _own(file: str) -> str:
    return resources.files("firstlight.report.page").joinpath(file).read_text("utf-8")
