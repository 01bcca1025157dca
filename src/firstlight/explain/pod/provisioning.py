"""
The node that was made for a pod.

Karpenter tells it best: a NodeClaim is created, its machine launched, its kubelet
registered, and initialised once the taints are gone and the GPUs are registered.
Other autoscalers leave an event on the pod and a Node with the moment it registered
and became Ready. A condition that is not True has completed nothing, whatever its
transition stamp says, and a node that was there before the pod was not made for it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from firstlight.core.activities import Activity, between
from firstlight.core.attribution import PhaseWindow
from firstlight.core.findings import Finding
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.core.starts import Failure
from firstlight.explain.pod.stuck_nodes import STEPS, stuck, waits
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.timing import event_mark, later, mark
from firstlight.readers.kube.model import NodeClaim, Stamp

_CLAIM = re.compile(r"\bnodeclaim/([\w.-]+)")
_NO_ROOM = re.compile(r"Insufficient|untolerated taint|didn't match|had taint")
"""Of the scheduler's reasons, those that a new node can take away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provisioning:
    """The node's part of a start; empty where no node was made, or nobody tells."""

    window: PhaseWindow | None = None
    activities: tuple[Activity, ...] = ()
    claim: NodeClaim | None = None
    failure: Failure | None = None
    findings: tuple[Finding, ...] = ()


def provision(
    subject: Subject, created: Stamp | None, scheduled: Stamp | None, now: Mark | None = None
) -> Provisioning:
    """What was done to get a node for this pod.

    Args:
        subject: the pod.
        created: when it was created.
        scheduled: when it was bound to a node; None where it was not, or nobody tells.
        now: how far everything known reaches.
    """
    claim = _claim_of(subject, created, scheduled)
    if claim is not None:
        return _by_karpenter(subject, claim, created, scheduled, now)
    return _by_autoscaler(subject, created, scheduled)


def claim_alone(claim: NodeClaim) -> Provisioning:
    """A NodeClaim without a pod: how long its parts took, and where it is stuck."""
    steps = claim_steps(claim, None)
    window = None
    if len(steps) > 1:
        window = PhaseWindow(phase=Phase.NODE_PROVISIONING, begins=steps[0], ends=steps[-1])
    failure = stuck(claim)
    last = claim.last_seen
    if failure and last and steps and window is None:
        ends = mark(MarkKind.LAST_LOG_LINE, last)
        window = PhaseWindow(phase=Phase.NODE_PROVISIONING, begins=steps[0], ends=ends)
    return Provisioning(
        window=window,
        activities=tuple(_named(steps)),
        claim=claim,
        failure=failure,
        findings=waits(claim),
    )


_NAMES = {
    MarkKind.NODE_LAUNCHED: "launched",
    MarkKind.NODE_REGISTERED: "registered",
    MarkKind.NODE_READY: "ready",
    MarkKind.NODE_INITIALIZED: "initialized",
}


def claim_steps(claim: NodeClaim, ready: Stamp | None) -> list[Mark]:
    """The proven moments of a node's making, in order."""
    moments = [
        (MarkKind.NODE_ASKED, claim.created or _awaiting(claim)),
        (MarkKind.NODE_LAUNCHED, claim.launched),
        (MarkKind.NODE_REGISTERED, claim.registered),
        (MarkKind.NODE_READY, ready),
        (MarkKind.NODE_INITIALIZED, claim.initialized),
    ]
    steps: list[Mark] = []
    for kind, stamp in moments:
        # A node's Ready moves whenever its kubelet stumbles: out of order it is a later one.
        if stamp is not None and (not steps or stamp.at_ns >= steps[-1].at_ns):
            steps.append(mark(kind, stamp))
    return steps


def _awaiting(claim: NodeClaim) -> Stamp | None:
    """Of a description that lost its head: the conditions that nobody touched since creation."""
    stamps = [c.transition for c in claim.conditions if c.reason == "AwaitingReconciliation"]
    return min((s for s in stamps if s), key=lambda s: s.at_ns, default=None)


def _named(steps: Iterable[Mark]) -> Iterable[Activity]:
    """Each step named for what it ends with, as Karpenter's conditions are."""
    for before, after in pairwise(steps):
        if after.kind in _NAMES:
            yield from between(before, after, _NAMES[after.kind])


def _claim_of(subject: Subject, created: Stamp | None, scheduled: Stamp | None) -> NodeClaim | None:
    """The claim whose node the pod runs on, or which it was nominated for."""
    claims = subject.cluster.node_claims
    if subject.pod.node:
        # Nominated for one node and bound to another: that one was not what it waited for.
        mine = [c for c in claims if c.node == subject.pod.node]
    else:
        named = {n for e in subject.events for n in _CLAIM.findall(e.message)}
        mine = [c for c in claims if c.name in named] or (list(claims) if len(claims) == 1 else [])
    node = subject.node
    if node and node.created and created and later(created, node.created):
        return None
    for claim in mine:
        was_there = created and claim.initialized and later(created, claim.initialized)
        too_late = scheduled and claim.created and later(claim.created, scheduled)
        if not was_there and not too_late:
            return claim
    return None


def _by_karpenter(
    subject: Subject,
    claim: NodeClaim,
    created: Stamp | None,
    scheduled: Stamp | None,
    now: Mark | None,
) -> Provisioning:
    steps = claim_steps(claim, _node_ready(subject, scheduled))
    if created is not None:
        asked = mark(MarkKind.NODE_ASKED, created)
        steps = [s for s in steps if s.at_ns > created.at_ns]
        if claim.created is None or claim.created.at_ns <= created.at_ns:
            # It was asked for by somebody else, before this pod.
            steps.insert(0, asked)
    if scheduled is not None:
        # What became of the node after the pod was bound, the pod did not wait for.
        until_ns = scheduled.at_ns + scheduled.resolution_ns
        steps = [s for s in steps if s.at_ns <= until_ns]
    names = tuple(_named(steps))
    if scheduled is None and claim.initialized is None and steps and now is not None:
        # It is on its way, or stuck: until now the pod waits for it.
        at = next((n for n, (t, _, _) in enumerate(STEPS) if _is_open(claim, t)), 0)
        names += between(steps[-1], now, f"{STEPS[at][0].lower()} (not yet)")
        steps.append(now)
    window = None
    if len(steps) > 1:
        window = PhaseWindow(phase=Phase.NODE_PROVISIONING, begins=steps[0], ends=steps[-1])
    return Provisioning(
        window=window,
        activities=names,
        claim=claim,
        failure=None if scheduled else stuck(claim),
        findings=() if scheduled else waits(claim),
    )


def _is_open(claim: NodeClaim, step: str) -> bool:
    done = {"Launched": claim.launched, "Registered": claim.registered}
    return done.get(step) is None


def _by_autoscaler(
    subject: Subject, created: Stamp | None, scheduled: Stamp | None
) -> Provisioning:
    node = subject.node
    if node is None or node.created is None or created is None or scheduled is None:
        return Provisioning(findings=_not_split(subject, scheduled))
    if not later(node.created, created):
        return Provisioning()
    asked = subject.first("TriggeredScaleUp", "Nominated") or next(
        (e for e in subject.said("FailedScheduling") if _NO_ROOM.search(e.message)), None
    )
    if asked is None or asked.first is None or asked.first.at_ns > node.created.at_ns:
        return Provisioning(findings=_not_split(subject, scheduled))
    begins = event_mark(MarkKind.NODE_ASKED, asked)
    steps = [m for m in (begins, mark(MarkKind.NODE_REGISTERED, node.created)) if m]
    if ready := _node_ready(subject, scheduled):
        steps.append(mark(MarkKind.NODE_READY, ready))
    window = PhaseWindow(phase=Phase.NODE_PROVISIONING, begins=steps[0], ends=steps[-1])
    return Provisioning(window=window, activities=tuple(_named(steps)))


def _node_ready(subject: Subject, scheduled: Stamp | None) -> Stamp | None:
    """When the node became Ready, if that was before the pod was bound to it."""
    condition = subject.node.condition("Ready") if subject.node else None
    if condition is None or not condition.is_true or condition.transition is None:
        return None
    ready = condition.transition
    if scheduled is not None and later(ready, scheduled):
        return None
    return ready


def _not_split(subject: Subject, scheduled: Stamp | None) -> tuple[Finding, ...]:
    """A pod that waited for a node, where no object tells how long the node took."""
    waited = subject.first("Nominated", "TriggeredScaleUp")
    if waited is None or scheduled is None:
        return ()
    return (
        Finding(
            code="node-phase-not-split",
            where=subject.place,
            what="the pod waited for a new node, and no NodeClaim or Node says how long that "
            "took: the time is counted as scheduling",
            remedy="add `kubectl get nodeclaims,nodes -o json`, or use `firstlight capture`",
            evidence=(waited.evidence,),
        ),
    )
