"""
Garbage collections, where one takes long enough to matter.

Importing an engine makes millions of objects, and the collector walks them
again and again; an engine also collects by hand around its weights. Such time
is nobody's import and nobody's loading, so it gets a name of its own. After a
bounded number of records the hook takes itself out.
"""

from __future__ import annotations

import gc

import _firstlight_clock as clock
import _firstlight_spans as spans

ROW = spans.Row("gc", "collect", "garbage collection", "garbage collection")


class _Begun:
    at_ns = 0


def watch() -> None:
    """Note collections from here on."""
    gc.callbacks.append(_called)


def _called(phase: str, info: dict[str, int]) -> None:
    try:
        if phase == "start":
            _Begun.at_ns = clock.now_ns()
            return
        start_ns, _Begun.at_ns = _Begun.at_ns, 0
        if start_ns:
            spans.end(spans.Token(ROW, start_ns, None, f"generation {info['generation']}"))
            if not ROW.left:
                gc.callbacks.remove(_called)
    except Exception:
        pass
