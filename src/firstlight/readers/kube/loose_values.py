"""
Single lines as values: conditions without their object, steps of a claim, rows of pods.

What such a line does not say stays empty. Conditions that stand alone are one object's;
their types tell whether it is a pod or a NodeClaim.
"""

from collections.abc import Iterator, Sequence

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.readers.kube.capture_moment import Capture
from firstlight.readers.kube.conditions import pod_condition_clock
from firstlight.readers.kube.described_others import CLAIM_CONDITIONS
from firstlight.readers.kube.described_pods import POD_CONDITIONS
from firstlight.readers.kube.loose_lines import ConditionLine, StepLine
from firstlight.readers.kube.model import Condition, NodeClaim, Pod, Stamp
from firstlight.readers.kube.node_claims import done_steps
from firstlight.readers.kube.pod_rows import PodRow
from firstlight.readers.kube.row_events import stamp_of


def listed_pod(artefact: str, evidence: Evidence, row: PodRow, captured_ns: int | None) -> Pod:
    """A pod of which a table says what is wrong."""
    created = None
    if captured_ns is not None and row.age is not None:
        created = stamp_of(
            row.age, Clock.CONTROL_PLANE, evidence, Capture(at_ns=captured_ns), relative=False
        )
    return Pod(
        artefact=artefact,
        name=row.name,
        namespace=row.namespace,
        created=created,
        phase="Failed" if row.failed else "",
        reason=row.status,
        message=evidence.text,
    )


def loose_conditions(
    artefact: str, lines: Sequence[tuple[Evidence, ConditionLine]]
) -> tuple[list[Pod], list[NodeClaim]]:
    """Conditions without their object: one pod's or one claim's, by their types."""
    types = {line.type for _, line in lines}
    if POD_CONDITIONS & types:
        conditions = tuple(_condition(e, c, pod_condition_clock(c.type)) for e, c in lines)
        return [Pod(artefact=artefact, name="", conditions=conditions)], []
    if CLAIM_CONDITIONS & types:
        conditions = tuple(_condition(e, c, Clock.CONTROL_PLANE) for e, c in lines)
        claim = NodeClaim(
            artefact=artefact,
            name="",
            **done_steps(conditions),
            conditions=conditions,
        )
        return [], [claim]
    return [], []


def _condition(evidence: Evidence, line: ConditionLine, clock: Clock) -> Condition:
    transition = None
    if line.transition is not None:
        transition = stamp_of(line.transition, clock, evidence, None, relative=False)
    return Condition(
        type=line.type,
        status=line.status,
        reason=line.reason,
        message=line.message,
        transition=transition,
    )


def stepped_claims(
    artefact: str, lines: Sequence[tuple[Evidence, StepLine]]
) -> Iterator[NodeClaim]:
    """One NodeClaim for each name that single lines tell steps of."""
    claims: dict[str, dict[str, Stamp]] = {}
    last: Stamp | None = None
    for evidence, line in lines:
        last = stamp_of(line.moment, Clock.CONTROL_PLANE, evidence, None, relative=False)
        if last is not None:
            claims.setdefault(line.claim, {}).setdefault(line.step, last)
    for name, steps in claims.items():
        yield NodeClaim(
            artefact=artefact,
            name=name,
            created=steps.get("created"),
            launched=steps.get("launched"),
            registered=steps.get("registered"),
            initialized=steps.get("initialized"),
            last_seen=last,
        )
