"""
Probes that give up before a start that was measured is done.
"""

from collections.abc import Iterator

from firstlight.core.probe_budget import PERIOD_S, start_failures
from firstlight.core.units import NS_PER_S
from firstlight.lint.engine import Engine
from firstlight.lint.measured_start import said_of_starts, start_p95_s
from firstlight.lint.probes import LIVENESS, STARTUP, Probe, probe_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    p95_s = start_p95_s(scene)
    if p95_s is None:
        return
    for engine in scene.engines:
        probe = _killing(engine)
        allowed_s = probe.allowed_s if probe else None
        if probe is None or allowed_s is None or allowed_s >= p95_s:
            continue
        failures = start_failures(round(p95_s * NS_PER_S))
        yield Hit(
            manifest=engine.manifest,
            pointer=probe.pointer,
            what=f"{_named(probe)} the engine {allowed_s} s after its container began, and "
            f"{said_of_starts(scene)}",
            remedy=f"a startupProbe with periodSeconds: {PERIOD_S} and failureThreshold: "
            f"{failures}",
        )


def _killing(engine: Engine) -> Probe | None:
    """The probe that ends a start; None where none does, or it may not ask the engine."""
    if startup := probe_of(engine, STARTUP):
        # Any kind of it that succeeds before the engine is up would be of no use.
        return startup
    liveness = probe_of(engine, LIVENESS)
    return liveness if liveness and liveness.waits_for_engine else None


def _named(probe: Probe) -> str:
    if probe.kind == STARTUP:
        return "the startup probe kills"
    return "without a startupProbe the liveness probe kills"


RULE = Rule(
    code="startup-budget-below-p95",
    severity=Severity.ERROR,
    title="The probes must wait for as long as starts take",
    why=(
        "The kubelet kills the container when the probe has failed often enough, whether the "
        "engine is hung or nearly done, and the next start is as long as this one. The pod goes "
        "into CrashLoopBackOff exactly when starts are slow: on new nodes, or when many start."
    ),
    remedy="let a startupProbe allow twice the 95th percentile",
    sources=(
        Source(
            origin=Origin.REPORTED,
            where="github.com/kserve/kserve/pull/5063, "
            "github.com/mostlygeek/llama-swap/issues/92: time-outs shorter than the load",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/tasks/configure-pod-container/"
            "configure-liveness-readiness-startup-probes: failureThreshold * periodSeconds",
        ),
    ),
    check=_check,
)
