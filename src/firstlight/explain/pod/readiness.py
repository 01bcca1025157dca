"""
What the probe adds, and what it should be.

The kubelet asks on its own beat: a server that is up just after an answer "not yet"
waits a whole period before anybody knows. That is no work of the engine's, so it is a
phase of its own, and the total is known no better than the period. A probe that asks
every second costs nothing, and a start-up budget belongs into a startupProbe, where it
cannot kill a serving pod.
"""

from dataclasses import dataclass, replace

from firstlight.core.activities import Activity, between
from firstlight.core.findings import Finding
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.probe_budget import PERIOD_S, start_failures
from firstlight.core.starts import ProbeAdvice
from firstlight.core.units import NS_PER_S
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.timing import mark
from firstlight.readers.engine_program import DEFAULT_PORT
from firstlight.readers.kube.model import Container, ContainerKind, Probe

WORTH_SAYING_S = 5
_MOST_BEATS = 3
_SLOW_ANSWERS_NS = 30 * NS_PER_S
"""What first answers may take on a busy node, and several in a row that a probe may want."""
_GATE_NS = 2 * NS_PER_S


def beat_ns(container: Container | None) -> int:
    """How coarsely the probes tell when the server was up; 0 where there is none."""
    return max((p.period_s for p in _asked(container)), default=0) * NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """What the time between a server that could answer and Ready was spent on."""

    names: tuple[Activity, ...] = ()
    is_believed: bool = True
    """Whether the probes, or something else that is seen, explain so much of it."""


def lag_of(subject: Subject, started: Mark | None, up: Mark, ready: Mark) -> Lag:
    """What is known to lie between the two.

    The probe's initial delay, another container that came later, a readiness gate; what is
    left is the probe's beat. More than a few beats are not: then a readiness that was lost
    and came back has moved the condition.
    """
    container = subject.container
    others = [
        c
        for c in subject.pod.containers
        if c is not container and c.kind is ContainerKind.MAIN and _started_ns(c) > up.at_ns
    ]
    if others:
        names = between(up, ready, f"waiting for container {', '.join(c.name for c in others)}")
        return Lag(names=names)
    named: list[Activity] = []
    at, ends = up, ready
    delay_s = max((p.initial_delay_s for p in _asked(container)), default=0)
    if started is not None and delay_s:
        asked_ns = min(max(started.at_ns + delay_s * NS_PER_S, up.at_ns), ready.at_ns)
        asks = replace(ready, at_ns=asked_ns)
        named += between(up, asks, f"the probe's initial delay ({delay_s} s)")
        at = asks
    all_ready = subject.pod.condition("ContainersReady")
    if all_ready and all_ready.is_true and all_ready.transition:
        gate = mark(MarkKind.POD_READY, all_ready.transition)
        if at.at_ns <= gate.at_ns < ready.at_ns - _GATE_NS:
            named += between(gate, ready, "waiting for a readiness gate")
            ends = gate
    named += between(at, ends, _beat_name(container))
    most_ns = _MOST_BEATS * beat_ns(container) + _SLOW_ANSWERS_NS
    return Lag(names=tuple(named), is_believed=ends.at_ns - at.at_ns <= most_ns)


def _asked(container: Container | None) -> list[Probe]:
    if container is None:
        return []
    return [p for p in (container.startup_probe, container.readiness_probe) if p]


def _started_ns(container: Container) -> int:
    run = container.current
    return run.started.at_ns if run and run.started else 0


def _beat_name(container: Container | None) -> str:
    if not beat_ns(container):
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
        what=asks.what if asks else f"GET :{DEFAULT_PORT}/health",
        period_s=PERIOD_S,
        failure_threshold=start_failures(up_after_ns),
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
    if lag_ns > (beat_s + WORTH_SAYING_S) * NS_PER_S:
        # Most of it was not the beat.
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
