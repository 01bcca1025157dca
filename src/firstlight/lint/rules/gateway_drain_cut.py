"""An engine that ends before its gateway has passed on the last answer."""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.gateways import DRAIN_DELAY_S, DRAIN_S, DRAINED, Gateway, gateway_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.json_values import canonical_text
from firstlight.manifests.operations.ending import GRACE_S
from firstlight.readers.kube.fields import natural, within
from firstlight.techniques.sources import Origin, Source

_GRACE = "terminationGracePeriodSeconds"


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        if (gateway := gateway_of(engine)) is not None:
            yield from _of(engine, gateway)


def _of(engine: Engine, gateway: Gateway) -> Iterator[Hit]:
    hook = within(engine.container, "lifecycle", "preStop")
    if gateway.is_sidecar:
        yield Hit(
            manifest=engine.manifest,
            pointer=gateway.pointer,
            what="the gateway is a sidecar, which the kubelet tells to end when the engine is "
            "gone: it passes requests on to an engine that is ending",
            remedy="make it one of the containers",
        )
    elif DRAINED not in canonical_text(hook):
        yield Hit(
            manifest=engine.manifest,
            pointer=engine.pointer("/lifecycle/preStop" if hook else ""),
            what="the engine's container has "
            + ("another preStop" if hook else "no preStop")
            + f" and does not wait for the gateway's /{DRAINED}: both are told to end at once",
        )
    else:
        yield from _of_grace(engine, gateway)


def _of_grace(engine: Engine, gateway: Gateway) -> Iterator[Hit]:
    delay_s = gateway.seconds("--drain-delay-s", DRAIN_DELAY_S)
    drain_s = gateway.seconds("--drain-s", DRAIN_S)
    written = engine.pod.get(_GRACE)
    grace_s = GRACE_S if written is None else natural(written)
    if delay_s is None or drain_s is None or grace_s is None:
        return
    own_s = engine.argument("--shutdown-timeout").number or 0
    if grace_s < delay_s + drain_s + own_s:
        at = engine.workload.pod_pointer + ("" if written is None else f"/{_GRACE}")
        after = f", and the engine itself {own_s:g} s" if own_s else ""
        yield Hit(
            manifest=engine.manifest,
            pointer=at,
            what=f"the pod is killed {grace_s} s after it was told to end"
            f"{' by default' if written is None else ''}, and the gateway takes up to "
            f"{delay_s + drain_s:g} s to drain{after}",
            remedy=f"{_GRACE}: {round(delay_s + drain_s + own_s) + 15}, or a shorter --drain-s",
        )


RULE = Rule(
    code="gateway-drain-cut",
    severity=Severity.WARNING,
    title="The engine must not end before its gateway has drained",
    why=(
        "When a pod ends, the kubelet tells all its containers at once. The gateway goes on for "
        "the answers that are under way, and vLLM, told to end, aborts them: streams break off at "
        "each rollout and at each node that goes. With a preStop that asks the gateway the engine "
        "is told when nothing is left, if the grace period has room for it."
    ),
    remedy="give the engine's container lifecycle: {preStop: {httpGet: {path: -/drained, port: "
    "the gateway's}}}",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle, termination of pods",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/workloads/pods/sidecar-containers: they end last",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="docs.vllm.ai/en/stable/cli/serve: --shutdown-timeout, 0 aborts",
        ),
    ),
    check=_check,
    techniques=("sleep-wake",),
)
