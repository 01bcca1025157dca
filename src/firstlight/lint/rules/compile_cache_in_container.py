"""A compile cache that nobody keeps: it lies in the container's own layer."""

from collections.abc import Iterator

from firstlight.lint.compile_cache import compiles, is_on, vllm_cache
from firstlight.lint.places import Lies
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        cache = vllm_cache(engine)
        if cache.lies is not Lies.CONTAINER or not compiles(engine):
            continue
        if is_on(engine, "VLLM_FORCE_AOT_LOAD"):
            # It must find a cache, so the image brings one.
            continue
        yield Hit(
            manifest=engine.manifest,
            pointer=engine.variable_pointer("VLLM_CACHE_ROOT"),
            what=f"what torch.compile makes is kept in {cache.path}, which goes with the container",
        )


RULE = Rule(
    code="compile-cache-in-container",
    severity=Severity.NOTE,
    title="The compile cache should outlive the container",
    why=(
        "Each new pod compiles the same graph again. In the reference case engine init took 94 s, "
        "and 29.6 s where the cache was hit. It is the default, so nothing says it. Fine where the "
        "image brings a cache, or as the baseline of an experiment."
    ),
    remedy="mount a folder of the node and point VLLM_CACHE_ROOT into it: `firstlight render FILE "
    "--technique compile-cache-local` writes the change",
    sources=(
        Source(origin=Origin.REFERENCE_CASE, where="step 2 against step 1"),
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/design/torch_compile"),
    ),
    check=_check,
    techniques=("compile-cache-local",),
)
