"""
A pool that moves running engines to save money.

A note, because it may be meant. What it costs is known: every move is a start on a new node.
"""

from collections.abc import Iterator, Sequence

from firstlight.lint.consolidation import consolidates_soon
from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import engine_pods, said
from firstlight.lint.eviction_budgets import Budget, EvictionBudgets
from firstlight.lint.pod_metadata import pod_annotations
from firstlight.lint.pools import Pool, PoolIndex
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.readers.kube.fields import text
from firstlight.techniques.sources import Origin, Source

_KEEPS = "karpenter.sh/do-not-disrupt"


def _check(scene: Scene) -> Iterator[Hit]:
    seen = set[str]()
    index, evictions = PoolIndex(scene), EvictionBudgets(scene)
    for engine in engine_pods(scene):
        for pool in index.of(engine).known:
            if pool.name in seen or not consolidates_soon(pool):
                continue
            budgets = evictions.of(engine)
            if _is_kept(engine) or any(one.allows_none is not False for one in budgets):
                break
            seen.add(pool.name)
            after = text(pool.disruption.get("consolidateAfter"))
            yield Hit(
                manifest=pool.manifest,
                pointer=_place(pool),
                what=f"Karpenter may move the pods of {said(engine)} to a cheaper node "
                f"{after + ' after' if after else 'as soon as'} a pod came or went, and "
                f"{_allowed(budgets)}",
            )


def _is_kept(engine: Engine) -> bool:
    return pod_annotations(engine).get(_KEEPS, "").lower() == "true"


def _allowed(budgets: Sequence[Budget]) -> str:
    """What lets it, for a sentence."""
    if not budgets:
        return "they say nothing against it"
    names = ", ".join(one.name for one in budgets)
    return f"PodDisruptionBudget {names} lets them go in turn: each of them starts anew"


def _place(pool: Pool) -> str:
    for inside in ("consolidateAfter", "consolidationPolicy"):
        if inside in pool.disruption:
            return f"/spec/disruption/{inside}"
    return "/spec/disruption" if pool.disruption else "/spec"


RULE = Rule(
    code="consolidation-moves-engine",
    severity=Severity.NOTE,
    title="Consolidation should not move a serving engine unless that is meant",
    why=(
        "When a cheaper node would do, Karpenter makes it and evicts the pod, and the engine "
        "starts there from nothing: minutes of cold start for each move, without a server where "
        "there is one replica. It shows as a restart that nobody asked for. A "
        "PodDisruptionBudget helps only where it lets no pod go, maxUnavailable: 0 or a "
        "minAvailable of all replicas; one that lets them go in turn makes the moves take turns. "
        'A budget of the pool helps only with nodes: "0", without a schedule, and for the '
        "reason Underutilized."
    ),
    remedy=(
        f'annotate the pods with {_KEEPS}: "true", add a PodDisruptionBudget with '
        "maxUnavailable: 0, or choose consolidationPolicy: WhenEmpty"
    ),
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="karpenter.sh/docs/concepts/disruption, consolidation, NodePool disruption "
            "budgets and pod-level controls",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/tasks/run-application/configure-pdb: how a share is rounded",
        ),
        Source(
            origin=Origin.REFERENCE_CASE, where="a cold start on a new node: 428 s, 226 s at best"
        ),
    ),
    check=_check,
)
