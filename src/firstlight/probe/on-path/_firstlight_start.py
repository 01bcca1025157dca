"""
Turns the probe on: opens the file, says which process this is, sets the hooks.

Everything the probe does is set here or by the table in `_firstlight_targets`.
If the file cannot be opened no hook is set, and the interpreter runs as if the
probe were not there.
"""

from __future__ import annotations

import sys

import _firstlight_bytecode as bytecode
import _firstlight_clock as clock
import _firstlight_garbage as garbage
import _firstlight_imports as imports
import _firstlight_processes as processes
import _firstlight_records as records
import _firstlight_spans as spans
import _firstlight_targets as targets


def install(folder: str) -> None:
    """Start recording into a file of this process's own in the folder."""
    began_ns = clock.now_ns()
    if not records.open_in(folder):
        return
    processes.introduce(began_ns)
    processes.follow_forks()
    arrivals = targets.by_module()
    for name, rows in list(arrivals.items()):
        module = sys.modules.get(name)
        if module is not None and not imports.unfinished(module):
            spans.wrap_all(module, rows)
            del arrivals[name]
    garbage.watch()
    bytecode.watch()
    imports.watch(arrivals, spans.wrap_all)
