"""
A probe that sees the end of a start seconds after it.

A note, because it may be meant: it costs half a period on average, 5 s of some minutes. It is
worth saying because the same period blurs every measured total, and because asking each
second costs nothing. Where the length of a start is known, the period is held against that:
one that costs less than a twentieth of it is fine enough. A delay beyond it is waited for in
nearly every start, and no note any more.
"""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.measured_start import said_of_starts, start_p95_s
from firstlight.lint.probes import READINESS, STARTUP, Probe, probe_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_COARSE_S = 10
"""A period of Kubernetes' default, or a longer one, where no start was measured."""
_LONG_DELAY_S = 30
_PERIODS = 10
"""How many periods a measured start should have: half of one is then a twentieth of it."""


def _check(scene: Scene) -> Iterator[Hit]:
    p95_s = start_p95_s(scene)
    measured = f"; {said_of_starts(scene)}" if p95_s is not None else ""
    for engine in scene.engines:
        probe = _deciding(engine)
        if probe is None:
            continue
        period_s, delay_s = probe.period_s, probe.delay_s
        if delay_s is not None and _is_long(delay_s, p95_s):
            every = p95_s is not None and delay_s >= p95_s
            yield Hit(
                manifest=engine.manifest,
                pointer=f"{probe.pointer}/initialDelaySeconds",
                what=f"no start is ready before {delay_s} s, however fast it becomes: the "
                f"{probe.kind} does not ask earlier{measured}",
                severity=Severity.WARNING if every else None,
            )
        elif period_s is not None and _is_coarse(period_s, p95_s):
            given = "periodSeconds" in probe.value
            yield Hit(
                manifest=engine.manifest,
                pointer=probe.pointer + ("/periodSeconds" if given else ""),
                what=f"the {probe.kind} asks every {period_s} s{'' if given else ' by default'}: a "
                f"start is {period_s / 2:g} s longer on average, and when the pod was ready is "
                f"known to {period_s} s only{measured}",
            )


def _is_long(delay_s: int, p95_s: float | None) -> bool:
    """
    Whether a delay may be longer than a start.

    Of a start only the 95th percentile is known, and many may take half of that.
    """
    return delay_s >= _LONG_DELAY_S if p95_s is None else delay_s >= max(p95_s / 2, 1)


def _is_coarse(period_s: int, p95_s: float | None) -> bool:
    if p95_s is None:
        return period_s >= _COARSE_S
    return period_s > max(p95_s / _PERIODS, 1)


def _deciding(engine: Engine) -> Probe | None:
    """The probe that ends a start: the readiness probe begins with the startup probe's success."""
    return probe_of(engine, STARTUP) or probe_of(engine, READINESS)


RULE = Rule(
    code="coarse-startup-probe",
    severity=Severity.NOTE,
    title="The probe that ends a start should ask every second",
    why=(
        "A pod is ready at the first good answer after the server is up, so half a period is lost "
        "on average, and a delay is lost whole once starts are faster than it. Measured times from "
        "the pod's creation to its readiness come in steps of the period: in the reference case "
        "every one of them is right to 10 s only. Where a start's 95th percentile is known, a "
        "period of up to a tenth of it and a delay of up to half of it are left alone; a delay of "
        "all of it is a warning, for nearly every start "
        "waits for it."
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
