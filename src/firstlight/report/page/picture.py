"""
One chart as a picture, for a slide or a ticket.

Of an experiment the steps as stacked bars, of a start its waterfall. What came of it stands above:
a picture is shown to people who have nothing else.
"""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import vl_convert

from firstlight.core.errors import BadInput
from firstlight.report.escape import visible
from firstlight.report.experiment import rows, run_state
from firstlight.report.experiment.headline import headline
from firstlight.report.experiment.words import seconds
from firstlight.report.page import charts
from firstlight.report.page.vega import vega_lite_version

_WIDTH = 900
_SCALE = 2.0
_LETTERS = 150
"""In a line of so many pixels."""


def picture(document: Mapping[str, Any], *, kind: str) -> bytes:
    """
    The chart of a document.

    Args:
        document: what `experiment` or `explain` printed.
        kind: `svg` or `png`.

    Raises:
        BadInput: no start in it has a total, so there is nothing to draw.
    """
    spec = _chart(document) | {"width": _WIDTH, "background": "white"}
    if kind == "svg":
        return str(vl_convert.vegalite_to_svg(spec, vl_version=vega_lite_version())).encode()
    return bytes(vl_convert.vegalite_to_png(spec, vl_version=vega_lite_version(), scale=_SCALE))


def _chart(document: Mapping[str, Any]) -> dict[str, Any]:
    steps = document.get("steps") or ()
    for scenario in dict.fromkeys(s for step in steps for s in step["scenarios"]):
        if found := rows.stacked(steps, scenario):
            said = [headline(document, scenario), run_state.unfinished(document)]
            return _titled(charts.stacked(found), f"{document['name']}, {scenario}", said)
    for start in document.get("starts") or ():
        if start["total_s"]:
            drawn = charts.waterfall(rows.bars(start["phases"], start["total_s"]))
            return _titled(drawn, str(start["source"]), [f"one start, {seconds(start['total_s'])}"])
    raise BadInput(
        "no start in it has a total, so there is nothing to draw",
        remedy="give starts whose both ends are in the input",
    )


def _titled(spec: dict[str, Any], title: str, said: Sequence[str]) -> dict[str, Any]:
    """With what it shows and what came of it: a picture goes about without its page."""
    lines = [line for text in said for line in wrap(visible(text), _LETTERS)]
    return spec | {
        "title": {
            "text": visible(title, most=_LETTERS),
            "subtitle": lines,
            "anchor": "start",
            "frame": "bounds",
            "fontSize": 16,
            "subtitleFontSize": 13,
            "offset": 14,
        }
    }
