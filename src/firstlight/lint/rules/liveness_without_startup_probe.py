"""
A liveness probe that begins while the engine is still starting.

Where nobody stated how long starts take, they are taken to be as long as one that was
measured: the reference case's warm restart. Where it is stated, `startup-budget-below-p95`
compares the two.
"""

from collections.abc import Iterator

from firstlight.lint.measured_start import start_p95_s
from firstlight.lint.probes import LIVENESS, STARTUP, probe_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_KNOWN_START_S = 314
"""The reference case's new pod on a node that has everything."""


def _check(scene: Scene) -> Iterator[Hit]:
    if start_p95_s(scene) is not None:
        return
    for engine in scene.engines:
        probe = probe_of(engine, LIVENESS)
        if probe is None or probe_of(engine, STARTUP) or not probe.waits_for_engine:
            continue
        allowed_s = probe.allowed_s
        if allowed_s is not None and allowed_s < _KNOWN_START_S:
            yield Hit(
                manifest=engine.manifest,
                pointer=probe.pointer,
                what=f"without a startupProbe the liveness probe kills the engine {allowed_s} s "
                "after its container began, if it does not answer by then",
            )


RULE = Rule(
    code="liveness-without-startup-probe",
    severity=Severity.WARNING,
    title="A liveness probe needs a startup probe before it",
    why=(
        "The server answers only when the model is loaded and compiled. A start that takes longer "
        "once, with a cold cache or a slow store, is killed and begins again from nothing, and "
        "goes on so: CrashLoopBackOff with a log that ends in the middle. A long "
        "initialDelaySeconds instead leaves a hung engine alone for as long."
    ),
    remedy=(
        "add a startupProbe with periodSeconds 1 and a failureThreshold of twice a long start, "
        "and take initialDelaySeconds out of the others; `firstlight explain` computes it"
    ),
    sources=(
        Source(
            origin=Origin.REPORTED,
            where="github.com/kserve/kserve/issues/5062, github.com/vllm-project/aibrix/issues/772",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle, types of probe",
        ),
        Source(origin=Origin.REFERENCE_CASE, where="baseline: a warm restart took 314 s"),
    ),
    check=_check,
)
