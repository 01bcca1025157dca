"""
What the stretches are called on the timeline.

Names come outside in: the process's role with the kind of work, then the work
itself. Modules of the standard library share one name, because nobody can act
on `textwrap`. torch's own names of compile stages get ours where the stage is
well known, and stay torch's where it is not.
"""

import re
import sys

from firstlight.readers.probe_lines import Interval
from firstlight.readers.probe_nesting import COLLECTION, PROGRAM, Piece
from firstlight.readers.probe_roles import Role

STANDARD_LIBRARY = "standard library"
_TORCH = "dynamo:"
"""Marks torch's own name of a stage."""

_STAGES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for name, pattern in (
        ("cache key", r"torch_key|triton_key|CacheBase\.get_system"),
        (
            "cache load",
            r"AOTAutogradCache|FxGraphCache|CompiledArtifact\.load|read_and_emit|\.loads",
        ),
        ("cache save", r"CompiledArtifact\.save|TritonBundler\.collect"),
        ("loading compiled code", r"PyCodeCache|CppCodeCache"),
        ("dynamo tracing", r"compile_inner|compile_attempt|bytecode|build_guards|entire_frame"),
        ("dynamo tracing", r"fullgraph_capture|runtime_asserts|^pgo\."),
        ("backend", r"call_user_compiler|backend_compile"),
        ("autotuning", r"autotun|benchmark|precompil"),
        ("code compile", r"compile_file|async_compile"),
        ("aot autograd", r"aot_|create_aot_dispatcher|fake_tensor|invoke_subgraph"),
        ("inductor", r"inductor|GraphLowering|scheduler|compile_fx|pass\.|_grad|joint|codegen"),
    )
)


def path(role: Role, piece: Piece) -> tuple[str, ...]:
    """The names of a piece, from the outside in."""
    interval, within = piece.interval, piece.within
    if interval.kind == "import":
        return f"{role}: imports", _package(interval.name)
    if interval.group == COLLECTION:
        return f"{role}: {COLLECTION}", f"during {_work(within)}"
    if interval.group == PROGRAM:
        group = within.group if within and within.group else "programs"
        return f"{role}: {group}", f"run {interval.detail or interval.name}"
    return (
        (f"{role}: {interval.group}", _name(interval))
        if interval.group
        else (f"{role}: {interval.name}",)
    )


def _work(interval: Interval | None) -> str:
    if interval is None:
        return "other work"
    return "imports" if interval.kind == "import" else _name(interval)


def _name(interval: Interval) -> str:
    told = interval.name
    return _stage(told.removeprefix(_TORCH)) if told.startswith(_TORCH) else told


def _package(name: str) -> str:
    return STANDARD_LIBRARY if name in sys.stdlib_module_names else name


def _stage(told: str) -> str:
    return next((name for pattern, name in _STAGES if pattern.search(told)), told)
