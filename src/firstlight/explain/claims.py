"""
A node's making, told without a pod.

Karpenter's log or a NodeClaim alone: how long each step took, and where a node that
never came is stuck.
"""

from typing import TYPE_CHECKING

from firstlight.core.attribution import attribute
from firstlight.core.phases import Phase
from firstlight.core.starts import Outcome, Placement, Start
from firstlight.explain.pod.provisioning import claim_alone
from firstlight.explain.pod.stuck_nodes import claim_name
from firstlight.explain.without_engine import start_without_engine
from firstlight.readers.kube.model import NodeClaim

if TYPE_CHECKING:
    from firstlight.core.timeline import Span


def claim_start(claim: NodeClaim) -> Start:
    """The claim as a start of which nothing but the node is known."""
    told = claim_alone(claim)
    phases: tuple[Span, ...] = ()
    window = told.window
    if window is not None and window.ends.at_ns > window.begins.at_ns:
        phases = attribute(
            start_ns=window.begins.at_ns,
            end_ns=window.ends.at_ns,
            windows=[window],
            activities=told.activities,
        ).spans
    stuck = told.failure is not None
    return start_without_engine(
        claim_name(claim),
        phases=phases,
        activities=told.activities,
        outcome=Outcome.FAILED if stuck else Outcome.INCOMPLETE,
        failure=told.failure,
        seen_ns=window.ends.at_ns - window.begins.at_ns if window else None,
        unfinished=Phase.NODE_PROVISIONING if stuck else None,
        findings=told.findings,
        placement=Placement(
            node=claim.node,
            node_claim=claim.name,
            instance_type=claim.instance_type,
            capacity_type=claim.capacity_type,
            zone=claim.zone,
        ),
    )
