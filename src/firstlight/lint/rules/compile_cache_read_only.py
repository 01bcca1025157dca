"""A compile cache that the engine cannot write to."""

from collections.abc import Iterator

from firstlight.lint.claims import Claims
from firstlight.lint.compile_cache import compiles, vllm_cache
from firstlight.lint.engine import Engine
from firstlight.lint.places import Lies, Place, mount_pointer
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.mounts import is_read_only
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    claims = Claims(scene)
    for engine in scene.engines:
        if not compiles(engine):
            continue
        cache = vllm_cache(engine)
        pointer = _read_only_at(engine, cache)
        claim = claims.for_reading(engine, cache.volume)
        if pointer is not None:
            yield Hit(
                manifest=engine.manifest,
                pointer=pointer,
                what=f"the compile cache {cache.path} is read-only, and a start that misses it "
                "ends with an error",
            )
        elif claim is not None and cache.mount is not None:
            # Access modes are asked of a driver; Kubernetes itself makes nothing read-only by them.
            yield Hit(
                manifest=engine.manifest,
                pointer=mount_pointer(engine, cache.mount),
                what=f"the compile cache {cache.path} is on the claim {claim} that allows only "
                "ReadOnlyMany: where its driver mounts it read-only, a start that misses the "
                "cache ends with an error",
                severity=Severity.WARNING,
            )


def _read_only_at(engine: Engine, cache: Place) -> str | None:
    """What makes it read-only; None where nothing is known to."""
    if cache.mount is not None:
        volume = cache.volume or {}
        read_only = is_read_only(volume, cache.mount) or "image" in volume
        return mount_pointer(engine, cache.mount) if read_only else None
    context = engine.container.get("securityContext") or {}
    if cache.lies is Lies.CONTAINER and context.get("readOnlyRootFilesystem") is True:
        return engine.pointer("/securityContext/readOnlyRootFilesystem")
    return None


RULE = Rule(
    code="compile-cache-read-only",
    severity=Severity.ERROR,
    title="The compile cache must be writable",
    why=(
        "vLLM makes the folder of its key before it looks whether there is something in it, and "
        "nothing catches the error. A hit gets through; whatever changes the key, such as a new "
        "image or one more argument, turns a slower start into none. A claim that allows only "
        "ReadOnlyMany is a warning: it is up to the driver whether it can be written."
    ),
    remedy="mount it writable, or copy it to an emptyDir in an initContainer",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="vllm/compilation/decorators.py and compiler_interface.py, 0.32: os.makedirs of "
            "inductor_cache",
        ),
    ),
    check=_check,
    techniques=("compile-cache-local", "compile-cache-published"),
)
