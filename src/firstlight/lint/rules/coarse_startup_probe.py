"""
A probe that sees the end of a start seconds after it.

A note, because it may be meant: it costs half a period on average, 5 s of some minutes. It is
worth saying because the same period blurs every measured total, and because asking each
second costs nothing.
"""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.probes import READINESS, STARTUP, Probe, probe_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_COARSE_S = 10
_LONG_DELAY_S = 30


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        probe = _deciding(engine)
        if probe is None:
            continue
        period_s, delay_s = probe.period_s, probe.delay_s
        if delay_s is not None and delay_s >= _LONG_DELAY_S:
            yield Hit(
                manifest=engine.manifest,
                pointer=f"{probe.pointer}/initialDelaySeconds",
                what=f"no start is ready before {delay_s} s, however fast it becomes: the "
                f"{probe.kind} does not ask earlier",
            )
        elif period_s is not None and period_s >= _COARSE_S:
            given = "periodSeconds" in probe.value
            yield Hit(
                manifest=engine.manifest,
                pointer=probe.pointer + ("/periodSeconds" if given else ""),
                what=f"the {probe.kind} asks every {period_s} s{'' if given else ' by default'}: a "
                f"start is {period_s // 2} s longer on average, and its total is known to "
                f"{period_s} s only",
            )


def _deciding(engine: Engine) -> Probe | None:
    """The probe that ends a start: the readiness probe begins with the startup probe's success."""
    return probe_of(engine, STARTUP) or probe_of(engine, READINESS)


RULE = Rule(
    code="coarse-startup-probe",
    severity=Severity.NOTE,
    title="The probe that ends a start should ask every second",
    why=(
        "A pod is ready at the first good answer after the server is up, so half a period is lost "
        "on average, and a delay is lost whole once starts are faster than it. All totals come in "
        "steps of the period: in the reference case every one of them is right to 10 s only."
    ),
    remedy=(
        "a startupProbe with periodSeconds: 1, no initialDelaySeconds, and a failureThreshold "
        "that allows for a long start"
    ),
    sources=(
        Source(
            origin=Origin.REFERENCE_CASE,
            where="probe quantisation, 7 of 428 s; totals of a 10 s period are right to 10 s",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="github.com/kubernetes/kubernetes/pull/101738: the startup probe's success asks "
            "for readiness at once",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/kserve/kserve/issues/5062: small models wait for initialDelaySeconds",
        ),
    ),
    check=_check,
)
