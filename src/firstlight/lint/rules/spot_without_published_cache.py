"""
Nodes that are taken away, and a compile cache that goes with them.

A note, because it may be meant: while a cache is filled or a baseline is measured.
"""

from collections.abc import Iterator

from firstlight.lint.compile_cache import compiles, vllm_cache
from firstlight.lint.engine import Engine
from firstlight.lint.engine_image import is_published
from firstlight.lint.engine_pods import engine_pods
from firstlight.lint.places import Lies, mount_pointer
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.spot import Spot
from firstlight.manifests.mounts import mounting
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    spot = Spot(scene)
    for engine in engine_pods(scene):
        if not spot.may_take(engine) or not compiles(engine) or _does_more(engine):
            continue
        cache = vllm_cache(engine)
        lies = _goes_with_node(engine)
        if lies is None:
            continue
        yield Hit(
            manifest=engine.manifest,
            pointer=mount_pointer(engine, cache.mount) if cache.mount else engine.pointer(),
            what="its nodes are Spot, or may be, and what is compiled lies "
            f"{lies} ({cache.path}): every interruption ends in a start that compiles again",
        )


def _does_more(engine: Engine) -> bool:
    """Whether a script runs something beside the engine, which may bring the cache."""
    return engine.line is not None and len(engine.line.commands) > 1


def _goes_with_node(engine: Engine) -> str | None:
    """Where the cache lies, if it goes with the node; None where it stays, or may be restored."""
    cache = vllm_cache(engine)
    match cache.lies:
        case Lies.CONTAINER:
            # An image of one's own may bring a cache.
            return "in the container" if is_published(engine) else None
        case Lies.POD:
            return "on a volume of the pod"
        case Lies.LASTING if cache.volume and cache.volume.get("hostPath"):
            restored = len(list(mounting(engine.pod, cache.volume.get("name")))) > 1
            return None if restored else "in a directory of the node"
        case _:
            return None


RULE = Rule(
    code="spot-without-published-cache",
    severity=Severity.NOTE,
    title="On Spot nodes the compile cache should come from elsewhere",
    why=(
        "A Spot node is taken with two minutes' notice on Amazon's cloud, half a minute on others, "
        "and the next start is on a new one. A cache on the node is gone with it: in the reference "
        "case engine init takes 94 s instead "
        "of 30 s, on every interruption, while restoring 218 MB from S3 gives the same hit."
    ),
    remedy="publish the cache and restore it: the technique compile-cache-published",
    sources=(
        Source(
            origin=Origin.REFERENCE_CASE,
            where="steps 2 and 3: 94.0 to 29.6 s, the same on a fresh node from S3",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="karpenter.sh/docs/concepts/disruption, interruption",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="docs.aws.amazon.com/eks/latest/eksctl/spot-instances.html; "
            "cloud.google.com/kubernetes-engine/docs/concepts/spot-vms; "
            "learn.microsoft.com/azure/aks/spot-node-pool: the labels of such nodes",
        ),
    ),
    check=_check,
    techniques=("compile-cache-published",),
)
