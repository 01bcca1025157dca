"""
What is drawn, as Vega-Lite specifications made with Altair.

Altair builds and checks them; the page carries Vega-Lite itself and draws them where it is read.
Text and lines take the page's own colour, so a chart is right on light and dark ground and on
paper. A chart has no colour of its own but a phase's.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

import altair as alt

from firstlight.report.experiment.palette import COLOURS, NAMES, NO_RESULT, RESULT, ROUNDS

Rows = Sequence[Mapping[str, Any]]
Spec = dict[str, Any]
Lines = Mapping[str, list[str]]
"""What rows are called, in one line or several, in their order."""
_BAR = 26
_COLUMNS = 4
_STEP = 40
_THIN = 18
_LINE = 14
"""Pixels from line to line of a label."""
LABELS = 240
"""The room for the labels of rows, in pixels, where there is enough."""
_LETTERS = 34
"""Of a label, in a line of it."""
_SHADES = (1.0, 0.7, 0.5)
"""By depth."""
_SCATTERED = 0.18
"""Of what comes in more pieces than can be drawn: from its first to its last, and pale."""
_INK = "currentColor"
_CHANGE = "change against the step before, s"
_ROOM = 12
"""Pixels between the outermost points and the edge."""
_SECONDS = "seconds"
_ROWS = alt.NamedData(name="rows")
_PHASES = alt.Scale(domain=[NAMES[p] for p in COLOURS], range=list(COLOURS.values()))


def stacked(rows: Rows) -> Spec:
    """The round that stands for each step as one bar of phases, and the median of all as a line."""
    used = {row["phase"] for row in rows}
    legend = alt.Legend(
        orient="bottom", title=None, values=[n for n in NAMES.values() if n in used]
    )
    lines = {row["step"]: _with_median(row) for row in rows}
    y = _called("step:N", lines)
    bars = (
        alt.Chart(_ROWS)
        .mark_bar(height=_BAR, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("seconds:Q", title=_SECONDS, stack="zero"),
            y=y,
            order=alt.Order("order:Q"),
            color=alt.Color("phase:N", scale=_PHASES, legend=legend),
            tooltip=[
                alt.Tooltip("step:N"),
                alt.Tooltip("phase:N"),
                alt.Tooltip("seconds:Q", format=".2f"),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
    )
    medians = (
        alt.Chart(_ROWS)
        .transform_filter("datum.order == 0 && isValid(datum.median)")
        .mark_tick(size=_BAR + 8, thickness=3, color=_INK)
        .encode(x=alt.X("median:Q", title=_SECONDS), y=y)
    )
    layers = [bars, *([medians] if any(row["median"] is not None for row in rows) else [])]
    return _spec(alt.layer(*layers), rows, lines=lines)


def _with_median(row: Mapping[str, Any]) -> list[str]:
    """What a bar is called: its step, and what all its rounds came to."""
    if row["median"] is None:
        return _wrapped(row["step"])
    of = f"median of {row['n']}" if row["n"] > 1 else "one round"
    return [*_wrapped(row["step"]), f"{of}: {row['median']:.2f} s"]


def dots(rows: Rows) -> Spec:
    """Every round as a point; what is no result is hollow."""
    shown = {row["kind"] for row in rows}
    kinds = [kind for kind in ROUNDS if kind in shown]
    looks = [ROUNDS[kind] for kind in kinds]
    lines = {row["step"]: _wrapped(row["step"]) for row in rows}
    chart = (
        alt.Chart(_ROWS)
        .mark_point(size=90, opacity=0.9, strokeWidth=2)
        .encode(
            x=alt.X("seconds:Q", title=_SECONDS, scale=alt.Scale(zero=False, padding=_ROOM)),
            y=_called("step:N", lines),
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=[shape for shape, _ in looks]),
                legend=alt.Legend(orient="bottom", title=None),
            ),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=[colour for _, colour in looks]),
            ),
            tooltip=[
                alt.Tooltip("round:N"),
                alt.Tooltip("kind:N"),
                alt.Tooltip("seconds:Q", format=".2f"),
                alt.Tooltip("folder:N"),
            ],
        )
    )
    return _spec(chart, rows, lines=lines)


def gains(rows: Rows) -> Spec:
    """
    What each step changed, with its interval; the pale bar is what is found four times in five.

    What is no result is grey and hollow, and it is said why.
    """
    shown = [dict(row) | {"line": _line(row), "below": -(row["smallest"] or 0)} for row in rows]
    # A layer whose every number is unknown has no extent, and Vega complains.
    seen = [row for row in shown if row["low"] is not None and row["high"] is not None]
    sized = [row for row in shown if row["smallest"] is not None]
    lines = {row["line"]: [*_wrapped(row["step"]), row["what"]] for row in shown}
    y = _called("line:N", lines)
    tooltip = [
        alt.Tooltip("line:N", title="what"),
        alt.Tooltip("seconds:Q", format="+.2f", title="change, s"),
        alt.Tooltip("low:Q", format="+.2f", title="from, s"),
        alt.Tooltip("high:Q", format="+.2f", title="to, s"),
        alt.Tooltip("smallest:Q", format=".2f", title="found four times in five, s"),
        alt.Tooltip("verdict:N"),
    ]
    ends = alt.Scale(padding=_ROOM)
    unseen = (
        alt.Chart(_ROWS)
        .transform_filter("isValid(datum.smallest)")
        .mark_bar(height=_BAR, opacity=0.18, color=NO_RESULT)
        .encode(x=alt.X("below:Q", title=_CHANGE, scale=ends), x2="smallest:Q", y=y)
    )
    zero = alt.Chart(_ROWS).mark_rule(color=_INK).encode(x=alt.datum(0, type="quantitative"))
    whole = (
        alt.Chart(_ROWS)
        .transform_filter("isValid(datum.low) && isValid(datum.high)")
        .mark_rule(strokeWidth=3)
        .encode(x="low:Q", x2="high:Q", y=y, color=_standing(RESULT), tooltip=tooltip)
    )
    point = (
        alt.Chart(_ROWS)
        .mark_point(size=120, opacity=1, strokeWidth=2)
        .encode(
            x=alt.X("seconds:Q", title=_CHANGE, scale=ends),
            y=y,
            color=_standing(RESULT),
            fill=_standing(RESULT, otherwise="transparent"),
            tooltip=tooltip,
        )
    )
    layers = [*([unseen] if sized else []), zero, *([whole] if seen else []), point]
    layers += _reasons(shown, y)
    return _spec(alt.layer(*layers), shown, lines=lines)


def _reasons(shown: Rows, y: alt.Y) -> Iterator[alt.Chart]:
    """Why a change is no result, at the end of its row that the change is farther from."""
    numbers = [
        row[n] or 0 for row in shown for n in ("seconds", "low", "high", "below", "smallest")
    ]
    middle = (min(numbers) + max(numbers)) / 2
    none = [row["seconds"] for row in shown if not row["stands"]]
    if any(seconds > middle for seconds in none):
        chart = alt.Chart(_ROWS).transform_filter(f"!datum.stands && datum.seconds > {middle}")
        text = chart.mark_text(align="left", color=NO_RESULT, fontSize=12)
        yield text.encode(x=alt.value(6), y=y, text="verdict:N")
    if any(seconds <= middle for seconds in none):
        chart = alt.Chart(_ROWS).transform_filter(f"!datum.stands && datum.seconds <= {middle}")
        text = chart.mark_text(align="right", color=NO_RESULT, fontSize=12)
        yield text.encode(x=alt.value("width"), y=y, text="verdict:N")


def _line(row: Mapping[str, Any]) -> str:
    return f"{row['step']}, {row['what']}"


def _standing(colour: str, *, otherwise: str = NO_RESULT) -> Any:
    """One colour where a change is a result, another where it is none."""
    return alt.condition("datum.stands", alt.value(colour), alt.value(otherwise))


def waterfall(rows: Rows) -> Spec:
    """One start from its beginning to its end; a bar for each phase and its longer parts."""
    names = {row["row"]: ["\u00b7 " * row["depth"] + row["name"]] for row in rows}
    y = _called("row:N", names, domain=False)
    chart = (
        alt.Chart(_ROWS)
        .mark_bar(height=_THIN - 5, cornerRadius=1, cursor="pointer", minBandSize=1)
        .encode(
            x=alt.X("from:Q", title=_SECONDS),
            x2="to:Q",
            y=y,
            color=alt.Color("phase:N", scale=_PHASES, legend=None),
            opacity=alt.Opacity("shade:Q", scale=None, legend=None),
            tooltip=[
                alt.Tooltip("name:N", title="what"),
                alt.Tooltip("seconds:Q", format=".3f"),
                alt.Tooltip("share:Q", format=".1%"),
                alt.Tooltip("proof:N", title="proof"),
            ],
        )
    )
    pieces = [piece for row in rows for piece in _drawn(row)]
    return _spec(chart, pieces, lines=names, row=_THIN)


def _drawn(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A bar for each piece of a row; what interrupted it shows as a gap."""
    told = {name: value for name, value in row.items() if name not in {"evidence", "pieces"}}
    told["shade"] = _SCATTERED if row["scattered"] else _SHADES[row["depth"]]
    for begins, ends in row["pieces"]:
        yield {**told, "from": begins, "to": ends}


def _called(field: str, lines: Lines, *, domain: bool = True) -> alt.Y:
    """Rows in their order, each with its lines; a table in Vega's own language."""
    expression = f"({json.dumps(lines)})[datum.value]"
    axis = alt.Axis(labelExpr=expression, ticks=False, domain=domain)
    return alt.Y(field, title=None, sort=list(lines), axis=axis)


def _wrapped(label: str) -> list[str]:
    return wrap(label, _LETTERS) or [label]


def _spec(
    chart: alt.Chart | alt.LayerChart | alt.FacetChart,
    rows: Rows,
    *,
    lines: Lines,
    row: int = _STEP,
) -> Spec:
    """
    The rows are put in at the end: Altair would look into each of a thousand.

    Vega lays the first of several lines of a label where the only one would be.
    """
    most = max(map(len, lines.values()))
    height = max(row, _LINE * most + 8 if most > 1 else 0)
    sized = chart.properties(
        width="container",
        height=max(height * len(lines), _STEP),
        background="transparent",
        usermeta={"lines": most},
    )
    made = sized.configure(
        font="system-ui, sans-serif",
        axis=alt.AxisConfig(
            labelColor=_INK,
            titleColor=_INK,
            domainColor=_INK,
            tickColor=_INK,
            gridColor=_INK,
            gridOpacity=0.1,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            labelOverlap=True,
            labelSeparation=6,
        ),
        # Labels begin at one edge and are cut at their end; a narrow page gives them less room.
        axisY=alt.AxisConfig(
            labelAlign="left",
            labelPadding=LABELS,
            labelLimit=LABELS - 8,
            labelOverlap=False,
            labelOffset=-_LINE * (most - 1) / 2,
            minExtent=LABELS,
            maxExtent=LABELS,
        ),
        legend=alt.LegendConfig(labelColor=_INK, labelFontSize=12, labelLimit=0, columns=_COLUMNS),
        view=alt.ViewConfig(stroke=None),
    )
    return dict(made.to_dict(validate=True)) | {"datasets": {_ROWS.name: [dict(r) for r in rows]}}
