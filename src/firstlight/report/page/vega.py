"""
Vega-Lite, as the page carries it: the version that Altair's specifications are written for.
"""

from functools import cache
from importlib.metadata import version

import altair as alt
import vl_convert

_GLOBAL = "window.vegaEmbed = vegaEmbed;"


def vega_lite_version() -> str:
    """Major and minor."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def library_name() -> str:
    """A file's name that says all that the script depends on."""
    return f"charts-{version('vl-convert-python')}-{vega_lite_version()}.js"


@cache
def library() -> str:
    """The script that draws specifications; putting it together takes a second."""
    return vl_convert.javascript_bundle(_GLOBAL, vl_version=vega_lite_version())
