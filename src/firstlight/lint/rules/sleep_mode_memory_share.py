"""Sleep mode beside a high share of the GPU's memory, and no fixed size of the KV cache."""

from collections.abc import Iterator

from firstlight.lint.engine import Engine, Known
from firstlight.lint.engine_image import version
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_MOST = 0.85
_LOWER_DEFAULT_BEFORE = (0, 20)
_OWN_BACKEND = "cumem"


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        yield from _of(engine)


def _of(engine: Engine) -> Iterator[Hit]:
    sleep = engine.argument("--enable-sleep-mode")
    backend = engine.argument("--sleep-mode-backend")
    if sleep.known is not Known.GIVEN or (backend.value or _OWN_BACKEND) != _OWN_BACKEND:
        return
    if engine.argument("--kv-cache-memory-bytes").known is not Known.ABSENT:
        return
    share = engine.argument("--gpu-memory-utilization")
    given = _number(engine.text_of(share))
    if share.known is Known.ABSENT:
        yield Hit(
            manifest=engine.manifest,
            pointer=sleep.pointer,
            what=f"sleep mode is on, and --gpu-memory-utilization is not given, which is "
            f"{_default(engine)}",
        )
    elif given is not None and given > _MOST:
        yield Hit(
            manifest=engine.manifest,
            pointer=share.pointer,
            what=f"sleep mode is on, and --gpu-memory-utilization is {given:g}",
            remedy=f"change it to {_MOST:g}, or fix the size with --kv-cache-memory-bytes",
        )


def _default(engine: Engine) -> str:
    found = version(engine)
    if found is None:
        return "0.92, or 0.9 before vLLM 0.20"
    return "0.9" if found < _LOWER_DEFAULT_BEFORE else "0.92"


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


RULE = Rule(
    code="sleep-mode-memory-share",
    severity=Severity.ERROR,
    title="Sleep mode needs a GPU memory share of at most 0.85, or a KV cache of fixed size",
    why=(
        "With sleep mode the weights lie in an allocator of its own, and the profiling counts them "
        "wrongly: the memory left for the KV cache comes out too large, and the engine runs out of "
        "memory while it starts, again and again. In the reference case it estimated 56.77 GiB "
        "where 55.68 were left, at a share of 0.90. Without sleep mode the same share works, so "
        "nobody suspects it."
    ),
    remedy="add --gpu-memory-utilization 0.85, or fix the size with --kv-cache-memory-bytes",
    sources=(
        Source(origin=Origin.REFERENCE_CASE, where="traps: 0.90 crash-loops, 0.85 works"),
        Source(origin=Origin.REPORTED, where="github.com/vllm-project/vllm/issues/40256"),
        Source(origin=Origin.UPSTREAM, where="vllm/config/cache.py: 0.9 to 0.19, 0.92 from 0.20"),
    ),
    check=_check,
    techniques=("sleep-wake",),
)
