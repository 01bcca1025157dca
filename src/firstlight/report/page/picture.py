"""
One chart as a picture, for a slide or a ticket.

Of an experiment the steps as stacked bars, of a start its waterfall.
"""

from collections.abc import Mapping
from typing import Any

import vl_convert

from firstlight.core.errors import BadInput
from firstlight.report.page import charts, rows
from firstlight.report.page.vega import vega_lite_version

_WIDTH = 900
_SCALE = 2.0


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
            return charts.stacked(found)
    for start in document.get("starts") or ():
        if start["total_s"]:
            return charts.waterfall(rows.bars(start["phases"], start["total_s"]))
    raise BadInput(
        "no start in it has a total, so there is nothing to draw",
        remedy="give starts whose both ends are in the input",
    )
