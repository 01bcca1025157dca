"""
What the compile caches say about themselves: hits, misses, bypasses.

torch counts them in the process that compiles (`torch._dynamo.utils.counters`),
vLLM counts its own artefacts. Both are read where they are, if they were ever
loaded; nothing is imported for it.
"""

from __future__ import annotations

import sys

import _firstlight_bytecode as bytecode
import _firstlight_clock as clock
import _firstlight_records as records

_GROUPS = ("inductor", "aot_autograd")


def read() -> dict[str, int]:
    """The counters of this process that stand for caches, those at 0 left out."""
    values: dict[str, int] = {}
    dynamo = sys.modules.get("torch._dynamo.utils")
    for group in _GROUPS:
        for name, count in dict(getattr(dynamo, "counters", {}).get(group, {})).items():
            if "cache" in str(name):
                values[f"{group}.{name}"] = int(count)
    ours = getattr(sys.modules.get("vllm.compilation.counter"), "compilation_counter", None)
    for name, count in dict(getattr(ours, "__dict__", {})).items():
        if isinstance(count, int) and count:
            values[f"vllm.{name}"] = count
    return values


def write(when: str) -> None:
    """Record the counters, if there are any; never raises."""
    bytecode.write()
    try:
        values = read()
        if values:
            records.write({"k": "counters", "when": when, "t": clock.now_ns(), "v": values})
    except Exception:
        pass
