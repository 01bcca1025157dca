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

from firstlight.core.activities import Activity
from firstlight.core.attribution import PhaseWindow
from firstlight.core.findings import Finding
from firstlight.core.marks import Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.core.starts import Failure
from firstlight.core.units import NS_PER_S
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.timing import event_mark, later, mark
from firstlight.readers.kube.model import NodeClaim, Stamp

_CLAIM = re.compile(r"\bnodeclaim/([\w.-]+)")
LONG_NS = 600 * NS_PER_S
"""A node that is not initialised after so long is stuck, not slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provisioning:
    """The node's part of a start; empty where no node was made, or nobody tells."""

    window: PhaseWindow | None = None
    activities: tuple[Activity, ...] = ()
    claim: NodeClaim | None = None
    failure: Failure | None = None
    findings: tuple[Finding, ...] = ()


def provision(subject: Subject, created: Stamp | None, scheduled: Stamp | None) -> Provisioning:
    """What was done to get a node for this pod.

    Args:
        subject: the pod.
        created: when it was created.
        scheduled: when it was bound to a node; None where it was not, or nobody tells.
    """
    claim = _claim_of(subject, created, scheduled)
    if claim is not None:
        return _by_karpenter(subject, claim, created, scheduled)
    return _by_autoscaler(subject, created, scheduled)


def claim_alone(claim: NodeClaim) -> Provisioning:
    """A NodeClaim without a pod: how long its parts took, and where it is stuck."""
    steps = claim_steps(claim, None)
    window = None
    if len(steps) > 1:
        window = PhaseWindow(phase=Phase.NODE_PROVISIONING, begins=steps[0], ends=steps[-1])
    failure = _stuck(claim)
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
        if after.at_ns > before.at_ns and after.kind in _NAMES:
            yield Activity(
                path=(_NAMES[after.kind],),
                depth=0,
                start_ns=before.at_ns,
                end_ns=after.at_ns,
                uncertainty_ns=before.resolution_ns + after.resolution_ns,
                evidence=(before.evidence, after.evidence),
            )


def _claim_of(subject: Subject, created: Stamp | None, scheduled: Stamp | None) -> NodeClaim | None:
    """The claim whose node the pod runs on, or which it was nominated for."""
    claims = subject.cluster.node_claims
    named = {n for e in subject.events for n in _CLAIM.findall(e.message)}
    mine = [c for c in claims if subject.pod.node and c.node == subject.pod.node]
    mine = mine or [c for c in claims if c.name in named]
    if not mine and len(claims) == 1 and not (subject.pod.node and claims[0].node):
        mine = list(claims)
    for claim in mine:
        was_there = created and claim.initialized and later(created, claim.initialized)
        too_late = scheduled and claim.created and later(claim.created, scheduled)
        if not was_there and not too_late:
            return claim
    return None


def _by_karpenter(
    subject: Subject, claim: NodeClaim, created: Stamp | None, scheduled: Stamp | None
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
    window = None
    if len(steps) > 1:
        window = PhaseWindow(phase=Phase.NODE_PROVISIONING, begins=steps[0], ends=steps[-1])
    return Provisioning(
        window=window,
        activities=tuple(_named(steps)),
        claim=claim,
        failure=None if scheduled else _stuck(claim),
        findings=() if scheduled else waits(claim),
    )


def _by_autoscaler(
    subject: Subject, created: Stamp | None, scheduled: Stamp | None
) -> Provisioning:
    node = subject.node
    if node is None or node.created is None or created is None or scheduled is None:
        return Provisioning(findings=_not_split(subject, scheduled))
    if not later(node.created, created):
        return Provisioning()
    asked = subject.first("TriggeredScaleUp", "Nominated", "FailedScheduling")
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


_STEPS = (
    ("Launched", "node_not_launched", "no machine was launched for it"),
    ("Registered", "node_never_registered", "its machine was launched and never joined"),
    ("Initialized", "node_not_initialized", "its node joined and was not initialised"),
)


def _stuck(claim: NodeClaim) -> Failure | None:
    """Why a node never came, or came too late, as far as its claim tells.

    A condition that is not True yet is how every node begins. It is called stuck where the
    claim itself says what is missing, or where it waited for too long.
    """
    if claim.initialized is not None:
        return _late(claim)
    done = [claim.launched, claim.registered]
    at = max((n + 1 for n, stamp in enumerate(done) if stamp is not None), default=0)
    type_, kind, message = _STEPS[at]
    condition, since = claim.condition(type_), claim.registered or claim.launched or claim.created
    stamps = [condition.transition] if condition and condition.transition else []
    why = ""
    if condition is not None:
        told = ": ".join(t for t in (condition.reason, condition.message) if t)
        why = f" ({told})" if told else ""
    if claim.last_seen is not None and since is not None:
        stamps.append(claim.last_seen)
        why += f" for {(claim.last_seen.at_ns - since.at_ns) / NS_PER_S:.0f} s, as far as it goes"
        if claim.last_seen.at_ns - since.at_ns < LONG_NS:
            return None
    elif condition is None or condition.reason not in _MISSING:
        return None
    return Failure(
        kind=kind,
        message=f"{claim_name(claim)}: {message}{why}",
        evidence=tuple(s.evidence for s in stamps),
    )


_MISSING = frozenset({"NodeNotFound", "LaunchFailed", "InsufficientCapacityError"})
"""Reasons of conditions that say what is missing, rather than that it is not there yet."""


def _late(claim: NodeClaim) -> Failure | None:
    since = claim.registered or claim.launched or claim.created
    if since is None or claim.initialized is None:
        return None
    waited_ns = claim.initialized.at_ns - since.at_ns
    if waited_ns < LONG_NS:
        return None
    return Failure(
        kind="node_stuck_uninitialized",
        message=f"{claim_name(claim)}: its node stayed uninitialised for "
        f"{waited_ns / NS_PER_S:.0f} s",
        evidence=(since.evidence, claim.initialized.evidence),
    )


def claim_name(claim: NodeClaim) -> str:
    """How people call it."""
    return f"nodeclaim/{claim.name}" if claim.name else f"a NodeClaim in {claim.artefact}"


def waits(claim: NodeClaim) -> tuple[Finding, ...]:
    """What a node that is not there yet waits for, in the claim's own words."""
    conditions = [c for c in claim.conditions if not c.is_true and c.type in _NAMED_STEPS]
    told = [c for c in conditions if c.message or c.reason]
    if claim.initialized is not None or not told:
        return ()
    first = min(told, key=lambda c: _NAMED_STEPS.index(c.type))
    return (
        Finding(
            code="node-not-there-yet",
            where=claim_name(claim),
            what=f"{first.type} is {first.status}: {first.message or first.reason}",
            remedy=_REMEDIES[first.type],
            evidence=(first.transition.evidence,) if first.transition else (),
        ),
    )


_NAMED_STEPS = ("Launched", "Registered", "Initialized")
_REMEDIES = {
    "Launched": "look at `kubectl describe nodeclaim` and Karpenter's log for missing capacity",
    "Registered": "look at the machine's console and kubelet log: it runs and cannot join",
    "Initialized": "look for a startup taint that nobody removes, or a device plugin that never "
    "registers its GPUs (driver, DaemonSet)",
}
