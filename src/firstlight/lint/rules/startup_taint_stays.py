"""
A start-up taint that nothing among the objects takes away.

Pods need no toleration for a start-up taint: Karpenter takes it to be temporary, and somebody
has to remove it. A note, because that may be installed elsewhere.
"""

from collections.abc import Iterator
from typing import Any

from firstlight.lint.engine_pods import engine_pods, said
from firstlight.lint.pools import STARTUP_TAINTS, Pool, PoolIndex
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.taints import Taint, all_tolerations, tolerates
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.readers.json_pointer import value_at
from firstlight.techniques.sources import Origin, Source

_REMOVES_ITSELF = "/agent-not-ready"
"""Cilium and the CSI drivers of EBS, EFS, FSx and S3 end theirs so, and take it away."""
_MAKE_PODS = ("DaemonSet", "Deployment", "StatefulSet", "Pod", "Job", "CronJob")
_OF_KUBERNETES = ("kubernetes.io", "k8s.io", "karpenter.sh")


def _check(scene: Scene) -> Iterator[Hit]:
    engines = tuple(engine_pods(scene))
    ours = {id(engine.manifest) for engine in engines}
    index = PoolIndex(scene)
    pools: dict[str, tuple[Pool, str]] = {}
    for engine in engines:
        for pool in index.of(engine).known:
            pools.setdefault(pool.name, (pool, said(engine)))
    others = all_tolerations(_other_pods(scene, ours))
    for pool, user in pools.values():
        for taint in pool.startup_taints:
            if _is_known(taint) or tolerates(others, taint):
                continue
            yield Hit(
                manifest=pool.manifest,
                pointer=f"{STARTUP_TAINTS}/{taint.index}",
                what=f"nothing among these objects tolerates the start-up taint {taint}, so what "
                f"takes it away is elsewhere, or nowhere; until then {user} waits",
            )


def _is_known(taint: Taint) -> bool:
    domain = taint.key.partition("/")[0]
    return taint.key.endswith(_REMOVES_ITSELF) or domain.endswith(_OF_KUBERNETES)


def _other_pods(scene: Scene, ours: set[int]) -> Iterator[dict[str, Any]]:
    """Pods that are no engine's, one of which may take the taint away."""
    for manifest in scene.of_kind(*_MAKE_PODS):
        if id(manifest) not in ours:
            for pointer in pod_pointers(manifest.value):
                yield value_at(manifest.value, pointer)


RULE = Rule(
    code="startup-taint-stays",
    severity=Severity.NOTE,
    title="A start-up taint needs something that takes it away",
    why=(
        "Pods need not tolerate a start-up taint, and Karpenter waits for it to go: while it is "
        "there the engine is not scheduled and the node does not count as initialised, so it is "
        "not consolidated either and costs money. Every start waits for it. The other way round, "
        "a taint that an agent sets and the pool does not list as start-up taint made Karpenter "
        "buy three nodes for one pod."
    ),
    remedy=(
        "see that a DaemonSet which tolerates it removes it; list every taint that an agent sets "
        "on new nodes under startupTaints; drop those that nobody needs"
    ),
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="karpenter.sh/docs/concepts/nodepools, startupTaints",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/aws/karpenter-provider-aws/issues/6355 (three nodes for one pod), "
            "github.com/aws/karpenter-provider-aws/pull/6267 (why)",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/kubernetes-sigs/karpenter/issues/1479: never removed",
        ),
    ),
    check=_check,
)
