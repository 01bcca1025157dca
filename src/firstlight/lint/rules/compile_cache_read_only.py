"""A compile cache that the engine cannot write to."""

from collections.abc import Iterator

from firstlight.lint.claims import Claims
from firstlight.lint.compile_cache import compiles, vllm_cache
from firstlight.lint.engine import Engine, Known
from firstlight.lint.places import Lies, Place, mount_pointer
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.mounts import is_read_only, volume_named
from firstlight.readers.kube.fields import mappings
from firstlight.techniques.sources import Origin, Source

_NO_HOMES = ("/dev/shm", "/tmp")  # noqa: S108


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
        read_only = is_read_only(cache.volume or {}, cache.mount)
        return mount_pointer(engine, cache.mount) if read_only else None
    context = engine.container.get("securityContext") or {}
    if context.get("readOnlyRootFilesystem") is not True:
        return None
    somewhere = cache.lies is Lies.UNKNOWN and cache.path.startswith("~/")
    if cache.lies is Lies.CONTAINER or (somewhere and not _may_hold_a_home(engine)):
        return engine.pointer("/securityContext/readOnlyRootFilesystem")
    return None


def _may_hold_a_home(engine: Engine) -> bool:
    """Whether the home folder of a user that nobody knows may be on a volume that is written."""
    if engine.variable("HOME").known is not Known.ABSENT:
        return True
    return any(
        str(mount.get("mountPath")).rstrip("/") not in _NO_HOMES
        and not is_read_only(volume_named(engine.pod, mount.get("name")) or {}, dict(mount))
        for mount in mappings(engine.container.get("volumeMounts"))
    )


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
