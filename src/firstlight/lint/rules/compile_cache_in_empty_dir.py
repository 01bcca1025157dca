"""A compile cache on a volume that goes with the pod."""

from collections.abc import Iterator

from firstlight.lint.compile_cache import compiles, vllm_cache
from firstlight.lint.places import Lies, mount_pointer
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        cache = vllm_cache(engine)
        if cache.lies is not Lies.POD or cache.mount is None or not compiles(engine):
            continue
        yield Hit(
            manifest=engine.manifest,
            pointer=mount_pointer(engine, cache.mount),
            what=f"the compile cache {cache.path} lies on volume {cache.mount.get('name')}, which "
            "goes with the pod, and no other container fills it",
        )


RULE = Rule(
    code="compile-cache-in-empty-dir",
    severity=Severity.WARNING,
    title="A compile cache must not lie on an emptyDir that nothing fills",
    why=(
        "Restarts of the container hit it, and each new pod compiles again: a rollout, a new node, "
        "a scale-out. That is 94 s of engine init instead of 29.6 in the reference case, and it "
        "looks as if a cache were there."
    ),
    remedy="use a hostPath or a claim in its place (`firstlight render FILE --technique "
    "compile-cache-local`), or fill it by an initContainer from a published cache",
    sources=(
        Source(origin=Origin.REFERENCE_CASE, where="step 2 against step 1"),
        Source(
            origin=Origin.UPSTREAM, where="kubernetes.io/docs/concepts/storage/volumes, emptyDir"
        ),
    ),
    check=_check,
    techniques=("compile-cache-local",),
)
