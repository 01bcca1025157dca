"""A kept compile cache, and compilers beside it that keep theirs elsewhere."""

from collections.abc import Iterator

from firstlight.lint.compile_cache import (
    KEPT,
    compiles,
    flashinfer_cache,
    inductor_cache,
    is_on,
    triton_cache,
    vllm_cache,
)
from firstlight.lint.engine import Engine, Known
from firstlight.lint.engine_image import is_another_compiler, is_cpu_or_xpu
from firstlight.lint.places import Place
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_STANDALONE = "VLLM_USE_STANDALONE_COMPILE"


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        if is_another_compiler(engine) or vllm_cache(engine).lies not in KEPT:
            continue
        if is_cpu_or_xpu(engine):
            yield from _of(engine, _on_cpu(engine))
        elif compiles(engine):
            yield from _of(engine, _on_gpu(engine))


def _on_gpu(engine: Engine) -> tuple[tuple[str, str, Place], ...]:
    triton = ("Triton", "TRITON_CACHE_DIR", triton_cache(engine))
    flashinfer = ("FlashInfer", "FLASHINFER_WORKSPACE_BASE", flashinfer_cache(engine))
    chosen = engine.variable("FLASHINFER_WORKSPACE_BASE").known is Known.GIVEN
    # Where nobody chose a folder, FlashInfer may have its kernels in the image.
    others = (flashinfer,) if chosen or triton[2].goes_with_the_pod else ()
    return others if _moves_triton(engine) else (triton, *others)


def _moves_triton(engine: Engine) -> bool:
    """Whether vLLM may put Triton's cache into its own: its older way to compile does."""
    standalone = engine.variable(_STANDALONE)
    return standalone.known is not Known.ABSENT and standalone.value != "1"


def _on_cpu(engine: Engine) -> tuple[tuple[str, str, Place], ...]:
    without_aot = engine.variable("VLLM_USE_AOT_COMPILE").known is Known.GIVEN and not is_on(
        engine, "VLLM_USE_AOT_COMPILE"
    )
    found = ("Inductor", "TORCHINDUCTOR_CACHE_DIR", inductor_cache(engine))
    return (found,) if without_aot else ()


def _of(engine: Engine, caches: tuple[tuple[str, str, Place], ...]) -> Iterator[Hit]:
    lost = [(name, variable, at) for name, variable, at in caches if at.goes_with_the_pod]
    if not lost:
        return
    _, variable, _ = lost[0]
    folders = " and ".join(f"{name}'s in {at.path}{_by_default(engine, v)}" for name, v, at in lost)
    kept = vllm_cache(engine).path
    yield Hit(
        manifest=engine.manifest,
        pointer=engine.variable_pointer(variable),
        what=f"vLLM's cache {kept} is kept, and {folders} {'go' if len(lost) > 1 else 'goes'} "
        "with the pod",
        remedy="point into the same volume: " + ", ".join(v for _, v, _ in lost),
    )


def _by_default(engine: Engine, variable: str) -> str:
    return " by default" if engine.variable(variable).known is Known.ABSENT else ""


RULE = Rule(
    code="caches-outside-volume",
    severity=Severity.WARNING,
    title="Every compiler's cache must lie on the volume that keeps vLLM's",
    why=(
        "VLLM_CACHE_ROOT moves vLLM's own cache and Inductor's with it. By default Triton keeps "
        "kernels of its own in the home folder, FlashInfer too, and on CPUs without AOT "
        "compilation Inductor's files are in /tmp. They are compiled again in each pod, seconds "
        "that look like warm-up, while the log says that the graph was loaded from the cache. "
        "With VLLM_USE_STANDALONE_COMPILE=0 vLLM puts Triton's cache into its own, and nothing is "
        "said of it."
    ),
    remedy="point TRITON_CACHE_DIR, FLASHINFER_WORKSPACE_BASE and TORCHINDUCTOR_CACHE_DIR into the "
    "volume: `firstlight render FILE --technique compile-cache-local` does",
    sources=(
        Source(
            origin=Origin.UPSTREAM, where="vllm/compilation/compiler_interface.py and decorators.py"
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="vllm/compilation/backends.py make_compiler and compiler_interface.py "
            "InductorAdaptor, 0.32: standalone compile is the default, and only the other way "
            "moves Triton's cache",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="vllm/snapshot/runtime.py, 0.32: the caches an engine keeps open",
        ),
        Source(origin=Origin.UPSTREAM, where="vllm/platforms/cpu.py: the mode on CPUs"),
    ),
    check=_check,
    techniques=("compile-cache-local", "compile-cache-published"),
)
