"""
A pod that asks for a pool whose taints it does not tolerate.
"""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import engine_pods, said
from firstlight.lint.pools import Pool, PoolIndex
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.taints import Taint, may_tolerate
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    index = PoolIndex(scene)
    for engine in engine_pods(scene):
        pools = index.of(engine)
        refusing = [
            (pool, taint)
            for pool in pools.known
            for taint in pool.taints
            if not may_tolerate(engine.pod, taint)
        ]
        if not refusing or not pools.meant or len({p.name for p, _ in refusing}) < len(pools.known):
            continue
        pool, taint = refusing[0]
        yield Hit(
            manifest=engine.manifest,
            pointer=f"{engine.workload.pod_pointer}/tolerations"
            if engine.pod.get("tolerations")
            else engine.workload.pod_pointer,
            what=_by_label(engine, pool, taint)
            if pools.others
            else f"the pods of {said(engine)} ask for NodePool/{pool.name}, whose nodes have the "
            f"taint {taint}, and do not tolerate it",
            remedy=f"add a toleration with key: {taint.key}, operator: Exists, effect: "
            f"{taint.effect}",
            # Nodes that nobody showed may have the label too.
            severity=Severity.WARNING if pools.others else None,
        )


def _by_label(engine: Engine, pool: Pool, taint: Taint) -> str:
    return (
        f"the pods of {said(engine)} can not be scheduled onto NodePool/{pool.name}, whose label "
        f"they ask for: its nodes have the taint {taint}, which they do not tolerate, and no "
        "NodePool here that gives the label takes them"
    )


RULE = Rule(
    code="pool-taint-not-tolerated",
    severity=Severity.ERROR,
    title="Pods must tolerate the taints of the pool that they ask for",
    why=(
        "Karpenter makes no node of a pool for a pod that does not tolerate its taints, and the "
        "scheduler puts the pod on none that is there. It stays Pending for ever, with an event "
        "that speaks of affinities. Only a taint with the name of a resource that the pod asks "
        "for is tolerated without a word, where the API server has ExtendedResourceToleration on. "
        "Pods ask for a pool by its name, or by a label that it gives to its nodes, in the "
        "selector or the required affinity; by a label it is a warning, for other nodes may have "
        "it too."
    ),
    remedy="add the toleration to the pod's template",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="karpenter.sh/docs/concepts/nodepools: Karpenter won't use that NodePool",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="docs.aws.amazon.com/eks/latest/userguide/platform-versions.html: admission "
            "controllers",
        ),
    ),
    check=_check,
)
