"""
What the probe adds, and what it should be.

The kubelet asks on its own beat: a server that is up just after an answer "not yet"
waits a whole period before anybody knows. That is no work of the engine's, so it is a
phase of its own, and the total is known no better than the period. A probe that asks
every second costs nothing, and a start-up budget belongs into a startupProbe, where it
cannot kill a serving pod.
"""

from math import ceil

from firstlight.core.findings import Finding
from firstlight.core.starts import ProbeAdvice
from firstlight.core.units import NS_PER_S
from firstlight.explain.pod.subject import Subject
from firstlight.readers.kube.model import Container, Probe

_BUDGET = 2
"""A start may take so many times as long as this one did before it is given up."""
_FEWEST_FAILURES = 30
WORTH_SAYING_S = 5


def beat_ns(container: Container | None) -> int:
    """How coarsely the probes tell when the server was up; 0 where there is none."""
    if container is None:
        return 0
    probes = [p for p in (container.startup_probe, container.readiness_probe) if p]
    return max((p.period_s for p in probes), default=0) * NS_PER_S


def lag_name(container: Container | None) -> str:
    """What the time between a server that could answer and Ready was spent on."""
    if container is None or not beat_ns(container):
        return "the kubelet notices"
    return f"until the probe asks again (every {beat_ns(container) // NS_PER_S} s)"


def advise(subject: Subject, up_after_ns: int | None) -> ProbeAdvice | None:
    """A probe setting for this engine.

    Args:
        subject: the pod.
        up_after_ns: from the container's start until its server was up; None where that is
            not known.
    """
    container = subject.container
    if container is None or up_after_ns is None:
        return None
    asks = container.startup_probe or container.readiness_probe
    failures = max(_FEWEST_FAILURES, ceil(_BUDGET * up_after_ns / NS_PER_S))
    return ProbeAdvice(
        now=tuple(
            f"{name}: {_told(probe)}"
            for name, probe in (
                ("startupProbe", container.startup_probe),
                ("readinessProbe", container.readiness_probe),
                ("livenessProbe", container.liveness_probe),
            )
            if probe
        ),
        what=asks.what if asks else "GET :8000/health",
        period_s=1,
        failure_threshold=failures,
    )


def _told(probe: Probe) -> str:
    words = f"{probe.what} every {probe.period_s} s"
    if probe.initial_delay_s:
        words += f", first after {probe.initial_delay_s} s"
    return f"{words}, {probe.failure_threshold} failures allowed"


def readiness_finding(
    subject: Subject, lag_ns: int | None, advice: ProbeAdvice | None
) -> tuple[Finding, ...]:
    """What to say where the probe's beat is coarse."""
    container = subject.container
    beat_s = beat_ns(container) // NS_PER_S
    if container is None or advice is None or lag_ns is None or beat_s < WORTH_SAYING_S:
        return ()
    return (
        Finding(
            code="coarse-probe",
            where=subject.place,
            what=f"Ready came {lag_ns / NS_PER_S:.1f} s after the server was up: the probe asks "
            f"every {beat_s} s",
            remedy=f"startupProbe: {advice.what}, periodSeconds: {advice.period_s}, "
            f"failureThreshold: {advice.failure_threshold} (twice this start); and a "
            "readinessProbe of its own for the time after",
        ),
    )


def kills_too_early(subject: Subject, needed_ns: int | None) -> tuple[Finding, ...]:
    """A liveness probe without a startupProbe that would end a start like this one."""
    container = subject.container
    if container is None or container.liveness_probe is None or container.startup_probe:
        return ()
    probe = container.liveness_probe
    patience_s = probe.initial_delay_s + probe.period_s * probe.failure_threshold
    if needed_ns is None or patience_s * NS_PER_S > needed_ns:
        return ()
    return (
        Finding(
            code="liveness-shorter-than-start",
            where=subject.place,
            what=f"the liveness probe gives up after {patience_s} s and the start took "
            f"{needed_ns / NS_PER_S:.0f} s",
            remedy="add a startupProbe: the liveness probe begins only after it succeeded",
        ),
    )
