"""
A rolling update that needs GPUs which may not be there.

A note, for in a cluster that buys nodes it is the way to change an engine without a gap. A
pool with a limit says how many GPUs there can be, and then it is known.
"""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import engine_pods, said
from firstlight.lint.pools import PoolIndex, Pools
from firstlight.lint.replicas import Rollout, rolling
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.readers.kube.fields import counted, mapping, within
from firstlight.readers.kube.gpus import gpus
from firstlight.techniques.sources import Origin, Source

_LIMIT = "nvidia.com/gpu"


def _check(scene: Scene) -> Iterator[Hit]:
    index = PoolIndex(scene)
    for engine in engine_pods(scene):
        rollout = rolling(engine)
        needs = _gpus(engine)
        if rollout is None or not needs:
            continue
        if (why := _lacking(index.of(engine), rollout, needs)) is not None:
            yield Hit(
                manifest=engine.manifest,
                pointer=rollout.pointer,
                what=f"a rolling update of {said(engine)} needs {rollout.surge * needs} GPU"
                f"{'s' if rollout.surge * needs > 1 else ''} beside the "
                f"{rollout.replicas * needs} in use, {why}",
                remedy=_remedy(rollout, needs),
            )


def _remedy(rollout: Rollout, needs: int) -> str:
    spare = rollout.surge * needs
    keep = f"keep {spare} GPU{'s' if spare > 1 else ''} spare for rollouts"
    if rollout.replicas == 1:
        return f"strategy: {{type: Recreate}}, or {keep}"
    return f"strategy: {{rollingUpdate: {{maxSurge: 0, maxUnavailable: 1}}}}, or {keep}"


def _lacking(pools: Pools, rollout: Rollout, needs: int) -> str | None:
    """Why they may not be there; None where nodes are made for them."""
    if not pools.known:
        return "and waits without end where they are not free"
    wanted = (rollout.replicas + rollout.surge) * needs
    limits = {
        pool.name: counted(mapping(within(pool.manifest.value, "spec", "limits")).get(_LIMIT))
        for pool in pools.known
    }
    if pools.others or None in limits.values() or sum(filter(None, limits.values())) >= wanted:
        return None
    total = sum(filter(None, limits.values()))
    return f"and NodePool/{' and NodePool/'.join(limits)} may not have more than {total} in all"


def _gpus(engine: Engine) -> int:
    containers = engine.pod.get("containers") or []
    return sum(gpus(c.get("resources")) for c in containers if isinstance(c, dict))


RULE = Rule(
    code="rollout-needs-spare-gpu",
    severity=Severity.NOTE,
    title="A rolling update of an engine needs as many GPUs again",
    why=(
        "The new pod is made before the old one goes, and asks for a GPU of its own. Where none is "
        "free and no node is made for it, it stays Pending and the old one is kept until the new "
        "one is ready: the rollout stands still. Where nodes are made, a second one is paid for "
        "until the start is over."
    ),
    remedy="of one replica strategy: {type: Recreate}, of several maxSurge: 0 and "
    "maxUnavailable: 1; or spare GPUs that are meant for rollouts",
    sources=(
        Source(
            origin=Origin.REPORTED,
            where="github.com/defilantech/LLMKube/issues/192, "
            "github.com/llm-d-incubation/llm-d-modelservice/issues/246",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/ai-runway/airunway/issues/400: the defaults come to maxSurge 1 and "
            "maxUnavailable 0",
        ),
    ),
    check=_check,
)
