"""
Every function that is watched, by the module that has to arrive first.

The rows live with what they are about: how processes begin others, what the
front end, the engine core and the worker do, and what happens in a compilation.
"""

from __future__ import annotations

import _firstlight_children as children
import _firstlight_compile as compiling
import _firstlight_core as core
import _firstlight_front as front
import _firstlight_spans as spans
import _firstlight_worker as worker

Row = spans.Row

_EVERYWHERE = (
    Row("vllm.plugins", "load_general_plugins", "plugins", "general plugins"),
    Row("vllm.plugins", "load_plugins_by_group", "plugins", "looking for plugins"),
    Row("vllm.platforms", "resolve_current_platform_cls_qualname", "platform", "detection"),
)


def by_module() -> dict[str, list[Row]]:
    """The whole table, in the form that `_firstlight_imports.watch` wants."""
    table: dict[str, list[Row]] = {}
    for rows in (_EVERYWHERE, children.ROWS, front.ROWS, core.ROWS, worker.ROWS, compiling.ROWS):
        for row in rows:
            table.setdefault(row.module, []).append(row)
    return table
