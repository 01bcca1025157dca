"""One compile cache, seen at different paths by the workloads that share it."""

import posixpath
from collections.abc import Iterator

from firstlight.lint.compile_cache import compiles, vllm_cache
from firstlight.lint.engine import Engine
from firstlight.lint.engine_image import version
from firstlight.lint.model_named import model_named
from firstlight.lint.places import Place, mount_pointer
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.mounts import claim_of
from firstlight.techniques.sources import Origin, Source

_RELOCATES = (0, 32)
"""From this version on the files hold no absolute paths."""
Shared = tuple[str, ...]


def _check(scene: Scene) -> Iterator[Hit]:
    seen: dict[Shared, tuple[Engine, Place]] = {}
    for engine in scene.engines:
        found = version(engine)
        if (found is not None and found >= _RELOCATES) or not compiles(engine):
            continue
        cache = vllm_cache(engine)
        shared = _shared(engine, cache)
        if shared is None or cache.mount is None:
            continue
        first, there = seen.setdefault(shared, (engine, cache))
        if there.path != cache.path:
            yield Hit(
                manifest=engine.manifest,
                pointer=mount_pointer(engine, cache.mount),
                what=f"the compile cache that {first.manifest.identity} sees at {there.path} is at "
                f"{cache.path} here",
            )


def _shared(engine: Engine, cache: Place) -> Shared | None:
    """The folder behind it, and what its key depends on; None where that is not known."""
    model = model_named(engine)
    source = _source(engine, cache)
    if model is None or source is None:
        return None
    return (*source, str(engine.container.get("image")), model.text)


def _source(engine: Engine, cache: Place) -> Shared | None:
    mount, volume = cache.mount or {}, cache.volume or {}
    if mount.get("subPathExpr"):
        return None
    inside = cache.path[len(str(mount.get("mountPath") or "").rstrip("/")) :]
    sub = str(mount.get("subPath") or "")
    if path := (volume.get("hostPath") or {}).get("path"):
        return ("hostPath", posixpath.normpath(f"{path}/{sub}/{inside}"))
    if claim := claim_of(volume):
        namespace = engine.workload.namespace
        return ("claim", namespace, claim, posixpath.normpath(f"/{sub}/{inside}"))
    return None


RULE = Rule(
    code="compile-cache-paths-differ",
    severity=Severity.WARNING,
    title="A shared compile cache must be at one path in all pods",
    why=(
        "Before vLLM 0.32 the files in it hold absolute paths. A pod that sees the folder at "
        "another path finds the entry and cannot load what it points at, so it compiles again, or "
        "ends. Nothing in the manifests looks wrong, because the volume is the same."
    ),
    remedy="mount it at the same mountPath, and let VLLM_CACHE_ROOT be the same, in all of them",
    sources=(
        Source(origin=Origin.REPORTED, where="github.com/vllm-project/vllm/issues/52154"),
        Source(origin=Origin.UPSTREAM, where="vllm/compilation/compiler_interface.py, 0.31, 0.32"),
    ),
    check=_check,
    techniques=("compile-cache-local",),
)
