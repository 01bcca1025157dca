"""
Signs of techniques in what the probe saw of an engine's processes.

A forked worker has its parent's modules and no interpreter of its own to start. The log
does not tell the two apart, but for the warning of an engine that was made to spawn.
"""

from collections.abc import Iterable, Sequence

from firstlight.core.evidence import Evidence
from firstlight.core.signs import Sign, Signs
from firstlight.readers.probe_lines import Modules
from firstlight.readers.probe_roles import Process, Role

_BORN = (Role.ENGINE_CORE, Role.WORKER)
MOST_COMPILED_SHARE = 0.01
"""Of the modules: an engine writes a few anew at each start, and compiles those."""


def probe_signs(processes: Iterable[Process]) -> Signs:
    """What the engine's main processes show."""
    main = [p for p in processes if p.role.main_line]
    return {**_birth(main), **_bytecode(main)}


def _birth(main: Sequence[Process]) -> Signs:
    """How the engine's core and workers were born: forked only if all of them were."""
    born = [p for p in main if p.role in _BORN and p.forked is not None]
    if not born:
        return {}
    spawned = [p for p in born if not p.forked]
    shown = spawned or born
    sign = Sign.WORKER_SPAWNED if spawned else Sign.WORKER_FORKED
    return {sign: tuple(_opening(p) for p in shown)}


def _bytecode(main: Sequence[Process]) -> Signs:
    """From what they loaded their modules; a handful compiled is not what a start waits for."""
    read = sum(p.modules.read for p in main if p.modules)
    compiled = sum(p.modules.compiled for p in main if p.modules)
    if not read + compiled:
        return {}
    made = compiled > MOST_COMPILED_SHARE * (read + compiled)
    shown = [(p, p.modules) for p in main if p.modules]
    evidence = tuple(_loaded(p, m) for p, m in shown if m.compiled or not made)
    return {Sign.BYTECODE_MADE if made else Sign.BYTECODE_READ: evidence}


def _loaded(process: Process, modules: Modules) -> Evidence:
    return Evidence(
        artefact=process.artefact,
        line=modules.line,
        text=f"{process.role.value} {process.pid}: {modules.read} modules from bytecode, "
        f"{modules.compiled} compiled",
    )


def _opening(process: Process) -> Evidence:
    how = "forked" if process.forked else "a new interpreter"
    return Evidence(
        artefact=process.artefact,
        line=process.line,
        text=f"{process.role.value} {process.pid}: {how}",
    )
