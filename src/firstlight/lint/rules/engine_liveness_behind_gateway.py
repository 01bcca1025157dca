"""An engine behind a gateway that nobody starts anew, or somebody starts anew for nothing."""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.gateways import Gateway, gateway_of
from firstlight.lint.probes import ENGINE_LIVEZ, LIVENESS, STARTUP, Probe, probe_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_OF_ITSELF = frozenset({"/livez", "/startupz"})
"""What the gateway says of itself, whatever the engine does."""


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        if (gateway := gateway_of(engine)) is not None:
            yield from _of(engine, gateway)


def _of(engine: Engine, gateway: Gateway) -> Iterator[Hit]:
    liveness, startup = probe_of(engine, LIVENESS), probe_of(engine, STARTUP)
    if liveness is None:
        yield Hit(
            manifest=engine.manifest,
            pointer=engine.pointer(),
            what="the engine's container has no livenessProbe: after a wake-up that failed the "
            "gateway answers 503, and nobody starts the engine anew",
        )
    elif _asks(liveness, gateway) and liveness.path in _OF_ITSELF:
        yield _hit(liveness, "which tells of the gateway alone: an engine that failed stays so")
    elif _asks(liveness, gateway) and liveness.path != ENGINE_LIVEZ:
        yield _hit(
            liveness,
            "which says whether requests should come: an engine that is up and has not generated "
            "a token lately is killed",
        )
    if startup is not None and _asks(startup, gateway) and startup.path in _OF_ITSELF:
        yield _hit(
            startup,
            "which succeeds before the engine is up: the liveness probe begins then, and kills a "
            "start that takes longer than it puts up with",
        )


def _asks(probe: Probe, gateway: Gateway) -> bool:
    """Whether it is the gateway that is asked, by HTTP."""
    return probe.path is not None and gateway.port is not None and probe.port == gateway.port


def _hit(probe: Probe, why: str) -> Hit:
    return Hit(
        manifest=probe.engine.manifest,
        pointer=f"{probe.pointer}/httpGet",
        what=f"the engine's {probe.kind} asks the gateway for {probe.path}, {why}",
    )


RULE = Rule(
    code="engine-liveness-behind-gateway",
    severity=Severity.WARNING,
    title="Behind a gateway the engine's own probes must ask how the engine is",
    why=(
        "The kubelet cannot reach an engine on loopback, so its container's probes ask the gateway "
        "beside it, and that has several answers. /livez is about the gateway: it stays 200 when "
        "the engine is gone. /readyz and /health are about requests: they are no while a pod ends, "
        "and until a token was generated. Only /-/engine-livez fails when the engine has to be "
        "started anew, and only then: asleep and waking up it is 200."
    ),
    remedy="let the startupProbe and the livenessProbe of the engine's container ask GET "
    "/-/engine-livez of the gateway's port, and /livez be the gateway's own livenessProbe",
    sources=(
        Source(origin=Origin.OURS, where="docs/gate-on-kubernetes.md: what each route says"),
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/configuration/"
            "liveness-readiness-startup-probes: httpGet comes from the node",
        ),
    ),
    check=_check,
    techniques=("sleep-wake",),
)
