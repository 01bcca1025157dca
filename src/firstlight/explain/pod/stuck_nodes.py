"""
A node that never comes, or comes far too late, as far as its claim tells.
"""

from firstlight.core.findings import Finding
from firstlight.core.starts import Failure
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import NodeClaim

LONG_NS = 600 * NS_PER_S
"""A node that is not initialised after so long is stuck, not slow."""

STEPS = (
    ("Launched", "node_not_launched", "no machine was launched for it"),
    ("Registered", "node_never_registered", "its machine was launched and never joined"),
    ("Initialized", "node_not_initialized", "its node joined and was not initialised"),
)


def stuck(claim: NodeClaim) -> Failure | None:
    """Why a node never came, or came too late, as far as its claim tells.

    A condition that is not True yet is how every node begins. It is called stuck where the
    claim itself says what is missing, or where it waited for too long.
    """
    if claim.initialized is not None:
        return _late(claim)
    done = [claim.launched, claim.registered]
    at = max((n + 1 for n, stamp in enumerate(done) if stamp is not None), default=0)
    type_, kind, message = STEPS[at]
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
    order = [type_ for type_, _, _ in STEPS]
    conditions = [c for c in claim.conditions if not c.is_true and c.type in order]
    told = [c for c in conditions if c.message or c.reason]
    if claim.initialized is not None or not told:
        return ()
    first = min(told, key=lambda c: order.index(c.type))
    return (
        Finding(
            code="node-not-there-yet",
            where=claim_name(claim),
            what=f"{first.type} is {first.status}: {first.message or first.reason}",
            remedy=_REMEDIES[first.type],
            evidence=(first.transition.evidence,) if first.transition else (),
        ),
    )


_REMEDIES = {
    "Launched": "look at `kubectl describe nodeclaim` and Karpenter's log for missing capacity",
    "Registered": "look at the machine's console and kubelet log: it runs and cannot join",
    "Initialized": "look for a startup taint that nobody removes, or a device plugin that never "
    "registers its GPUs (driver, DaemonSet)",
}
