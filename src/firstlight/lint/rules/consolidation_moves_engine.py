"""
A pool that moves running engines to save money.

A note, because it may be meant. What it costs is known: every move is a start on a new node.
"""

import re
from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import engine_pods, said, same_namespace
from firstlight.lint.pools import Pool, PoolIndex
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import mapping, mappings, text, texts, within
from firstlight.techniques.sources import Origin, Source

_MOVES = frozenset({"", "WhenEmptyOrUnderutilized", "WhenUnderutilized"})
_KEEPS = "karpenter.sh/do-not-disrupt"
_SHORT_S = 300
_UNITS = {"h": 3600, "m": 60, "s": 1}
_Budget = tuple[Manifest, dict[str, str], bool]
"""A PodDisruptionBudget, the labels that it is for, and whether it says more than labels."""
_DURATION = re.compile(r"(?:[0-9]+[hms])+")


def _check(scene: Scene) -> Iterator[Hit]:
    seen = set[str]()
    index, budgets = PoolIndex(scene), _budgets(scene)
    for engine in engine_pods(scene):
        for pool in index.of(engine).known:
            if pool.name in seen or not _moves(pool):
                continue
            if _is_kept(engine) or _has_budget(engine, budgets):
                break
            seen.add(pool.name)
            after = text(pool.disruption.get("consolidateAfter"))
            yield Hit(
                manifest=pool.manifest,
                pointer=_place(pool),
                what=f"Karpenter may move the pods of {said(engine)} to a cheaper node "
                f"{after + ' after' if after else 'as soon as'} a pod came or went, and they say "
                "nothing against it",
            )


def _moves(pool: Pool) -> bool:
    disruption = pool.disruption
    if text(disruption.get("consolidationPolicy")) not in _MOVES:
        return False
    if any(str(one.get("nodes")) in {"0", "0%"} for one in mappings(disruption.get("budgets"))):
        return False
    after = disruption.get("consolidateAfter")
    length_s = 0 if after is None else _seconds(text(after))
    return length_s is not None and length_s < _SHORT_S


def _seconds(after: str) -> int | None:
    """None for `Never`, and for what is no length."""
    if not _DURATION.fullmatch(after):
        return None
    return sum(int(n) * _UNITS[u] for n, u in re.findall(r"([0-9]+)([hms])", after))


def _is_kept(engine: Engine) -> bool:
    template = engine.workload.pod_pointer.removesuffix("/spec")
    found = mapping(value_at(engine.manifest.value, f"{template}/metadata/annotations"))
    return str(found.get(_KEEPS)).lower() == "true"


def _budgets(scene: Scene) -> list[_Budget]:
    found = []
    for manifest in scene.of_kind("PodDisruptionBudget"):
        selector = within(manifest.value, "spec", "selector")
        labels = texts(within(selector, "matchLabels"))
        found.append((manifest, labels, bool(within(selector, "matchExpressions"))))
    return found


def _has_budget(engine: Engine, budgets: list[_Budget]) -> bool:
    """Whether a PodDisruptionBudget may hold for its pods; expressions are not read."""
    template = engine.workload.pod_pointer.removesuffix("/spec")
    labels = texts(value_at(engine.manifest.value, f"{template}/metadata/labels"))
    return any(
        (expressions or wanted.items() <= labels.items()) and same_namespace(engine, manifest)
        for manifest, wanted, expressions in budgets
    )


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
        "there is one replica. It shows as a restart that nobody asked for."
    ),
    remedy=(
        f'annotate the pods with {_KEEPS}: "true", add a PodDisruptionBudget, or choose '
        "consolidationPolicy: WhenEmpty"
    ),
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="karpenter.sh/docs/concepts/disruption, consolidation and pod-level controls",
        ),
        Source(
            origin=Origin.REFERENCE_CASE, where="a cold start on a new node: 428 s, 226 s at best"
        ),
    ),
    check=_check,
)
