"""
Vega-Lite, as the page carries it: the version that Altair's specifications are written for.
"""

from functools import cache

import altair as alt
import vl_convert

_GLOBAL = "window.vegaEmbed = vegaEmbed;"


def vega_lite_version() -> str:
    """Major and minor."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


@cache
def library() -> str:
    """The script that draws specifications; putting it together takes a second."""
    return vl_convert.javascript_bundle(_GLOBAL, vl_version=vega_lite_version())
