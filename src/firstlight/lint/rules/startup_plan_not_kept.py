"""A start-up plan that goes with the pod, so that no start has one."""

from collections.abc import Iterator

from firstlight.lint.compile_cache import is_on, vllm_cache
from firstlight.lint.engine_image import version
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_SWITCH = "VLLM_ENABLE_STARTUP_PLAN"
_SINCE = (0, 26)


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        if not is_on(engine, _SWITCH):
            continue
        cache, found = vllm_cache(engine), version(engine)
        if found is not None and found < _SINCE:
            what = f"{_SWITCH} does nothing in vLLM {found[0]}.{found[1]}: plans came with 0.26"
        elif cache.goes_with_the_pod:
            what = f"the start-up plan is written to {cache.path}, {cache.lies.value}"
        else:
            continue
        yield Hit(manifest=engine.manifest, pointer=engine.variable_pointer(_SWITCH), what=what)


RULE = Rule(
    code="startup-plan-not-kept",
    severity=Severity.WARNING,
    title="A start-up plan must lie where the next pod finds it",
    why=(
        "The engine writes the plan into VLLM_CACHE_ROOT, and the next start reads it from there. "
        "Where that goes with the pod, each start profiles the memory and writes a plan that "
        "nobody reads."
    ),
    remedy="point VLLM_CACHE_ROOT at a volume that outlives the pod, as compile-cache-local does",
    sources=(
        Source(origin=Origin.UPSTREAM, where="vllm/v1/worker/startup_plan.py"),
        Source(origin=Origin.UPSTREAM, where="github.com/vllm-project/vllm/pull/47388"),
    ),
    check=_check,
    techniques=("startup-plan",),
)
