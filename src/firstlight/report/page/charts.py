"""
What is drawn, as Vega-Lite specifications made with Altair.

Altair builds and checks them; the page carries Vega-Lite itself and draws them where it is read.
Text and lines take the page's own colour, so a chart is right on light and dark ground and on
paper. A chart has no colour of its own but a phase's.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from firstlight.report.page.palette import COLOURS, NAMES

Rows = Sequence[Mapping[str, Any]]
Spec = dict[str, Any]
_BAR = 26
_STEP = 40
_THIN = 18
LABELS = 240
"""The room for the labels of rows, in pixels, where there is enough."""
_SHADES = (1.0, 0.7, 0.5)
"""By depth."""
_SCATTERED = 0.18
"""Of what comes in more pieces than can be drawn: from its first to its last, and pale."""
_INK = "currentColor"
_SECONDS = "seconds"
_PHASES = alt.Scale(domain=[NAMES[p] for p in COLOURS], range=list(COLOURS.values()))


def stacked(rows: Rows) -> Spec:
    """Each step's middle round as one bar of phases."""
    used = {row["phase"] for row in rows}
    legend = alt.Legend(
        orient="bottom", title=None, columns=4, values=[n for n in NAMES.values() if n in used]
    )
    chart = (
        alt.Chart(_data(rows))
        .mark_bar(height=_BAR, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("seconds:Q", title=_SECONDS, stack="zero"),
            y=_steps(rows),
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
    return _spec(chart, height=_STEP * len({row["step"] for row in rows}))


def dots(rows: Rows) -> Spec:
    """Every round as a point; what is no result is hollow."""
    kinds = ["result", "outlier", "fill, no result", "failed"]
    chart = (
        alt.Chart(_data(rows))
        .mark_point(size=90, opacity=0.9, strokeWidth=2)
        .encode(
            x=alt.X("seconds:Q", title=_SECONDS, scale=alt.Scale(zero=False, nice=True)),
            y=_steps(rows),
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=["circle", "diamond", "square", "cross"]),
                legend=alt.Legend(orient="bottom", title=None),
            ),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=["#2f86c9", "#d55e00", "#8a8f98", "#c0392b"]),
            ),
            tooltip=[
                alt.Tooltip("round:N"),
                alt.Tooltip("kind:N"),
                alt.Tooltip("seconds:Q", format=".2f"),
            ],
        )
    )
    return _spec(chart, height=_STEP * len({row["step"] for row in rows}))


def gains(rows: Rows) -> Spec:
    """What each step changed, with its interval; the pale bar is what could not have been seen."""
    shown = [
        dict(row) | {"line": f"{row['step']}: {row['what']}", "below": -(row["smallest"] or 0)}
        for row in rows
    ]
    data = _data(shown)
    y = alt.Y("line:N", title=None, sort=[row["line"] for row in shown], axis=alt.Axis(ticks=False))
    tooltip = [
        alt.Tooltip("line:N", title="what"),
        alt.Tooltip("seconds:Q", format="+.2f", title="change, s"),
        alt.Tooltip("low:Q", format="+.2f", title="from, s"),
        alt.Tooltip("high:Q", format="+.2f", title="to, s"),
        alt.Tooltip("smallest:Q", format=".2f", title="smallest that could be seen, s"),
        alt.Tooltip("verdict:N"),
    ]
    unseen = (
        alt.Chart(data)
        .mark_bar(height=_BAR, opacity=0.18, color="#8a8f98")
        .encode(x=alt.X("below:Q", title="change against the step before, s"), x2="smallest:Q", y=y)
    )
    zero = alt.Chart(_data([{"zero": 0}])).mark_rule(color=_INK).encode(x="zero:Q")
    whole = (
        alt.Chart(data)
        .mark_rule(strokeWidth=3, color="#2f86c9")
        .encode(x="low:Q", x2="high:Q", y=y, tooltip=tooltip)
    )
    point = (
        alt.Chart(data)
        .mark_point(size=120, filled=True, opacity=1, color="#2f86c9")
        .encode(x="seconds:Q", y=y, tooltip=tooltip)
    )
    return _spec(alt.layer(unseen, zero, whole, point), height=_STEP * len(shown))


def waterfall(rows: Rows) -> Spec:
    """One start from its beginning to its end; a bar for each phase and its longer parts."""
    names = {row["row"]: "\u00b7 " * row["depth"] + row["name"] for row in rows}
    y = alt.Y(
        "row:N",
        title=None,
        sort=list(names),
        axis=alt.Axis(labelExpr=_label_expression(names), ticks=False, domain=False),
    )
    chart = (
        alt.Chart(_data([piece for row in rows for piece in _drawn(row)]))
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
    return _spec(chart, height=_THIN * len(rows))


def _drawn(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A bar for each piece of a row; what interrupted it shows as a gap."""
    told = {name: value for name, value in row.items() if name not in {"evidence", "pieces"}}
    told["shade"] = _SCATTERED if row["scattered"] else _SHADES[row["depth"]]
    for begins, ends in row["pieces"]:
        yield {**told, "from": begins, "to": ends}


def _data(rows: Rows) -> alt.Data:
    return alt.Data(values=[dict(row) for row in rows])  # type: ignore[no-untyped-call]


def _label_expression(names: Mapping[str, str]) -> str:
    """Rows are sorted by number, and called by name; a table in Vega's own language."""
    return f"({json.dumps(names)})[datum.value]"


def _steps(rows: Rows) -> alt.Y:
    order = list(dict.fromkeys(row["step"] for row in rows))
    return alt.Y("step:N", title=None, sort=order, axis=alt.Axis(ticks=False))


def _spec(chart: alt.Chart | alt.LayerChart | alt.FacetChart, *, height: int) -> Spec:
    sized = chart.properties(width="container", height=max(height, _STEP), background="transparent")
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
        ),
        # Labels begin at one edge and are cut at their end; a narrow page gives them less room.
        axisY=alt.AxisConfig(
            labelAlign="left",
            labelPadding=LABELS,
            labelLimit=LABELS - 8,
            minExtent=LABELS,
            maxExtent=LABELS,
        ),
        legend=alt.LegendConfig(labelColor=_INK, labelFontSize=12),
        view=alt.ViewConfig(stroke=None),
    )
    return dict(made.to_dict(validate=False))
