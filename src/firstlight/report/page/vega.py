"""
Vega-Lite, as the page carries it: the version that Altair's specifications are written for.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

import altair as alt
import vl_convert

_GLOBAL = "window.vegaEmbed = vegaEmbed;"


def vega_lite_version() -> str:
    """Major and minor."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


@cache
def begun() -> Future[str]:
    """Putting the script together takes a second: whoever will need it may begin early."""
    bundler = ThreadPoolExecutor(max_workers=1)
    made = bundler.submit(
        vl_convert.javascript_bundle, _GLOBAL, vl_version=vega_lite_version()
    )
    bundler.shutdown(wait=False)
    return made


def library() -> str:
    """The script that draws specifications."""
    return begun().result()
