"""
When a pod was created, bound and Ready, as far as it can be believed.

Conditions are read with care: a sandbox that was made again later moves them all, and
then they tell when the pod came back, not how long it took to start.
"""

from firstlight.core.findings import Finding
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.units import NS_PER_S
from firstlight.explain.pod.containers import Arrival
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.timing import finest, mark
from firstlight.readers.kube.model import Condition, Stamp

_INSTANTLY_NS = 2 * NS_PER_S
"""No vLLM goes from a new sandbox to Ready in so little."""
_LONG_NS = 5 * NS_PER_S


def created_at(subject: Subject) -> Stamp | None:
    """When the pod was created: its own word, or that of whoever created it."""
    if subject.pod.created is not None:
        return subject.pod.created
    event = subject.first("SuccessfulCreate")
    return event.first if event else None


def scheduled_at(subject: Subject) -> Stamp | None:
    """When the pod was bound to its node; the scheduler's event tells it finer."""
    condition = subject.pod.condition("PodScheduled")
    stamp = condition.transition if condition and condition.is_true else None
    event = subject.first("Scheduled")
    return finest(stamp, event.first if event else None, within_ns=NS_PER_S)


def ready_at(
    subject: Subject, engine: Arrival
) -> tuple[Mark | None, bool | None, tuple[Finding, ...]]:
    """When the pod became Ready, whether it is, and why its stamp is not believed."""
    condition = subject.pod.condition("Ready")
    if condition is None:
        return None, None, ()
    if not condition.is_true or condition.transition is None:
        return None, condition.is_true, ()
    if moved := _moved(subject, engine):
        return None, True, (moved,)
    return mark(MarkKind.POD_READY, condition.transition), True, ()


def _moved(subject: Subject, engine: Arrival) -> Finding | None:
    """Whether a later sandbox moved the conditions: then Ready tells of that one."""
    sandbox = _transition(subject.pod.condition("PodReadyToStartContainers"))
    proof = sandbox.evidence if sandbox else None
    if sandbox is None or not _is_later_sandbox(subject, sandbox, engine.started):
        changed = subject.first("SandboxChanged")
        if changed is None or changed.first is None or engine.started is None:
            return None
        # One that changed before the engine ran is a part of its start.
        if changed.first.at_ns <= engine.started.at_ns:
            return None
        proof = changed.evidence
    return Finding(
        code="sandbox-recreated",
        where=subject.place,
        what="the pod's sandbox was made again later, which moved its conditions: Ready tells "
        "when it came back, not how long it took to start",
        remedy="measure a start that nothing interrupts: `firstlight measure deployment/NAME`",
        evidence=(proof,) if proof else (),
    )


def _is_later_sandbox(subject: Subject, sandbox: Stamp, started: Mark | None) -> bool:
    """A sandbox younger than its container; or one Ready came right behind, long after binding."""
    if started is not None and sandbox.at_ns > started.at_ns + _INSTANTLY_NS:
        return True
    ready, scheduled = _transition(subject.pod.condition("Ready")), scheduled_at(subject)
    if ready is None or scheduled is None:
        return False
    instantly = ready.at_ns - sandbox.at_ns < _INSTANTLY_NS
    return instantly and sandbox.at_ns - scheduled.at_ns > _LONG_NS


def _transition(condition: Condition | None) -> Stamp | None:
    return condition.transition if condition and condition.is_true else None
