"""
A node's making, told without a pod.

Karpenter's log or a NodeClaim alone: how long each step took, and where a node that
never came is stuck.
"""

from typing import TYPE_CHECKING

from firstlight.core.attribution import attribute
from firstlight.core.starts import (
    FACT_NAMES,
    CacheVerdict,
    CompileCache,
    Outcome,
    Placement,
    Start,
)
from firstlight.explain.pod.provisioning import claim_alone, claim_name
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
    return Start(
        source=claim_name(claim),
        engine=None,
        engine_version=None,
        outcome=Outcome.FAILED if stuck else Outcome.INCOMPLETE,
        failure=told.failure,
        scenario=None,
        total=None,
        phases=phases,
        facts=dict.fromkeys(FACT_NAMES, ()),
        sleeps=(),
        compile_cache=CompileCache(
            verdict=CacheVerdict.UNKNOWN, reason="no engine's log is here", proof="none"
        ),
        seen_ns=window.ends.at_ns - window.begins.at_ns if window else None,
        unfinished="node_provisioning" if stuck else None,
        findings=told.findings,
        activities=told.activities,
        placement=Placement(
            node=claim.node,
            node_claim=claim.name,
            instance_type=claim.instance_type,
            capacity_type=claim.capacity_type,
            zone=claim.zone,
        ),
    )
