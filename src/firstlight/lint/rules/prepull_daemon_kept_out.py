"""
A DaemonSet that pulls the engine's image, and cannot run where the engine does.
"""

from collections.abc import Iterator

from firstlight.lint.engine_pods import engine_pods, image_of, said
from firstlight.lint.pools import PoolIndex
from firstlight.lint.prepulls import Prepull, Prepulls
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.taints import Taint, may_tolerate
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.readers.json_pointer import value_at
from firstlight.techniques.sources import Origin, Source

_Nodes = dict[tuple[tuple[Taint, ...], ...], tuple[str, bool]]
"""The taints of every pool that pods may go to, whose pods they are, and whether other nodes
would do too."""


def _check(scene: Scene) -> Iterator[Hit]:
    index = PoolIndex(scene)
    by_image: dict[str, _Nodes] = {}
    for engine in engine_pods(scene):
        image, pools = image_of(engine), index.of(engine)
        if image and pools.meant and all(p.taints for p in pools.known):
            taints = tuple(pool.taints for pool in pools.known)
            user = (said(engine), pools.others)
            by_image.setdefault(image, {}).setdefault(taints, user)
    for prepull in Prepulls(scene).all:
        if prepull.manifest.identity.kind == "DaemonSet":
            for image, nodes in by_image.items():
                if prepull.has(image):
                    yield from _kept_out(prepull, image, nodes)


def _kept_out(prepull: Prepull, image: str, nodes: _Nodes) -> Iterator[Hit]:
    pointer = pod_pointers(prepull.manifest.value)[0]
    pod = value_at(prepull.manifest.value, pointer)
    for pools, (user, others) in nodes.items():
        refusing = [next((t for t in pool if not may_tolerate(pod, t)), None) for pool in pools]
        if (taint := refusing[0]) is None or None in refusing:
            continue
        yield Hit(
            manifest=prepull.manifest,
            pointer=f"{pointer}/tolerations" if pod.get("tolerations") else pointer,
            what=f"it pulls {image} for {user}, whose nodes have the taint {taint}, and does not "
            f"tolerate it{', unless they are of a pool that is not here' if others else ''}",
            remedy=f"add a toleration with key: {taint.key}, operator: Exists, effect: "
            f"{taint.effect}",
            severity=Severity.NOTE if others else None,
        )
        return


RULE = Rule(
    code="prepull-daemon-kept-out",
    severity=Severity.WARNING,
    title="A DaemonSet that pulls the image must run on the engine's nodes",
    why=(
        "GPU nodes are tainted so that nothing else runs on them, and a DaemonSet is no exception: "
        "it makes no pod there, pulls nothing, and reports that all of its pods are ready. It asks "
        "for no GPU, so no admission plugin gives it the toleration either."
    ),
    remedy="give the DaemonSet the tolerations that the engine's pods have",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/workloads/controllers/daemonset, taints and "
            "tolerations",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/vllm-project/aibrix/issues/2560: no way to see which nodes are ready",
        ),
    ),
    check=_check,
    techniques=("image-prepull",),
)
