"""Workers that are to be forked, and an engine that spawns them all the same."""

from collections.abc import Iterator

from firstlight.lint.engine import Engine, Known
from firstlight.lint.engine_image import is_cpu_or_xpu
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_METHOD = "VLLM_WORKER_MULTIPROC_METHOD"


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        if engine.variable(_METHOD).value == "fork" and (why := _why(engine)):
            yield Hit(
                manifest=engine.manifest,
                pointer=engine.variable_pointer(_METHOD),
                what=f"{_METHOD}=fork has no effect: {why}",
            )


def _why(engine: Engine) -> str | None:
    """Why workers are spawned; None where nothing is known to make them."""
    if engine.argument("--numa-bind").known is Known.GIVEN:
        return "--numa-bind needs new interpreters, and vLLM goes back to spawn"
    if is_cpu_or_xpu(engine):
        return "vLLM sets spawn itself on CPUs and XPUs"
    return None


RULE = Rule(
    code="worker-fork-undone",
    severity=Severity.WARNING,
    title="Workers cannot be forked where vLLM itself asks for spawn",
    why=(
        "vLLM overrides the variable, with one warning among hundreds of lines or none at all, and "
        "each worker imports torch and vLLM again: the start is as slow as before, and the setting "
        "looks as if it had been tried."
    ),
    remedy="take the variable away, or what forces spawn",
    sources=(
        Source(origin=Origin.UPSTREAM, where="vllm/utils/system_utils.py _maybe_force_spawn, 0.32"),
        Source(origin=Origin.UPSTREAM, where="vllm/platforms/cpu.py and xpu.py"),
    ),
    check=_check,
    techniques=("worker-fork",),
)
