"""
From the lines of a text to what a cluster said.

Descriptions become objects, and the rows below them events about those objects; single
lines become what they can. Each kind of value has a file of its own that knows how.
"""

from dataclasses import dataclass, replace

from firstlight.core.evidence import Evidence
from firstlight.readers.kube.described import Section
from firstlight.readers.kube.described_others import (
    described_claim,
    described_node,
    described_workload,
    kind_of,
)
from firstlight.readers.kube.described_pods import described_pod, is_pod
from firstlight.readers.kube.event_rows import Row
from firstlight.readers.kube.loose_lines import ConditionLine, StepLine
from firstlight.readers.kube.loose_values import listed_pod, loose_conditions, stepped_claims
from firstlight.readers.kube.model import ClusterSeen, Event, Node, NodeClaim, Pod, Workload
from firstlight.readers.kube.pod_rows import PodRow
from firstlight.readers.kube.row_events import Described, row_events

_WORKLOADS = frozenset({"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the lines of a text turned out to be."""

    rows: list[tuple[int, Row]]
    """With the group: a section's number, or a negative one for a table by itself."""
    sections: list[Section]
    pods: list[tuple[Evidence, PodRow]]
    conditions: list[tuple[Evidence, ConditionLine]]
    steps: list[tuple[Evidence, StepLine]]
    claims: tuple[NodeClaim, ...]
    events: tuple[Event, ...]


def as_values(artefact: str, found: Found, captured_ns: int | None) -> ClusterSeen:
    """Everything found, with its moments where they can be told."""
    kinds = [kind_of(s) or ("Pod" if is_pod(s) else "") for s in found.sections]
    told = (_described(artefact, s, k) for s, k in zip(found.sections, kinds, strict=True))
    described = {group: thing for group, thing in enumerate(told) if thing is not None}
    rows = [
        (g, _owned(r, found.sections[g], kinds[g], described.get(g)) if g >= 0 else r)
        for g, r in found.rows
    ]
    events = row_events(artefact, rows, described, captured_ns, has_others=bool(found.events))
    things = described.values()
    pods, claims = loose_conditions(artefact, found.conditions)
    listed = [listed_pod(artefact, evidence, row, captured_ns) for evidence, row in found.pods]
    return ClusterSeen(
        pods=(*(d for d in things if isinstance(d, Pod)), *listed, *pods),
        events=(*events, *found.events),
        nodes=tuple(d for d in things if isinstance(d, Node)),
        node_claims=(
            *(d for d in things if isinstance(d, NodeClaim)),
            *found.claims,
            *claims,
            *stepped_claims(artefact, found.steps),
        ),
        workloads=tuple(d for d in things if isinstance(d, Workload)),
    )


def _described(artefact: str, section: Section, kind: str) -> Described | None:
    match kind:
        case "Pod":
            return described_pod(artefact, section)
        case "Node":
            return described_node(artefact, section)
        case "NodeClaim":
            return described_claim(artefact, section)
        case _ if kind in _WORKLOADS:
            return described_workload(artefact, section, kind)
        case _:
            return None


def _owned(row: Row, section: Section, kind: str, whose: Described | None) -> Row:
    """A row below a description is about what is described, and its image about a container."""
    container = row.container
    if isinstance(whose, Pod) and not container and row.image:
        having = [c.name for c in whose.containers if c.image == row.image]
        container = having[0] if len(having) == 1 else ""
    return replace(
        row,
        kind=kind or row.kind,
        name=section.top("Name") or row.name,
        namespace=section.top("Namespace") or row.namespace,
        container=container,
    )
