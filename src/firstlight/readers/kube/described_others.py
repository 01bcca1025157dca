"""
Descriptions of nodes, NodeClaims and workloads.

A node has its conditions in a table with stamps. A NodeClaim goes through kubectl's
generic describer, which flattens the list of conditions: their keys follow one another,
sorted, and where a key comes again the next condition has begun. A condition completes
something only while it is True.
"""

import re

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.readers.kube.described import Field, Section
from firstlight.readers.kube.described_pods import table_conditions
from firstlight.readers.kube.gpus import gpus
from firstlight.readers.kube.model import Condition, Node, NodeClaim, Stamp, Workload
from firstlight.readers.kube.printed_moments import UNKNOWN, printed

CLAIM_CONDITIONS = frozenset({"Launched", "Registered"})
_CLAIMS = ("NodeClaim", "Machine")
_CONDITION_KEYS = frozenset(
    {
        *("Last Transition Time", "Last Heartbeat Time", "Last Probe Time", "Message"),
        *("Observed Generation", "Reason", "Severity", "Status", "Type"),
    }
)
_CELL_GAP = re.compile(r"\s{2,}")
_NUMBER = re.compile(r"([0-9]{1,9}) (?:desired|current)")
_TAINT = re.compile(r"[^\s:]+:(?:NoSchedule|PreferNoSchedule|NoExecute)")


def kind_of(section: Section) -> str:
    """Node, NodeClaim, a workload's kind, or whatever the description names; else empty."""
    kind = section.top("Kind")
    if kind:
        return "NodeClaim" if kind in _CLAIMS else kind
    if section.has("StrategyType"):
        return "Deployment"
    if section.has("Pods Status", "Pod Template"):
        owner = section.top("Controlled By").partition("/")[0]
        replica_set = owner == "Deployment" or " current / " in section.top("Replicas")
        return "ReplicaSet" if replica_set else "Workload"
    if section.has("Roles", "System Info", "Non-terminated Pods", "Lease"):
        return "Node"
    if CLAIM_CONDITIONS & {c.type for c in listed_conditions("", section, Clock.NODE)}:
        return "NodeClaim"
    return ""


def described_claim(artefact: str, section: Section) -> NodeClaim:
    """The NodeClaim of a section, or of what is left of it."""
    conditions = listed_conditions(artefact, section, Clock.CONTROL_PLANE)
    done = {c.type: c.transition for c in conditions if c.is_true}
    labels = section.pairs("Labels")
    return NodeClaim(
        artefact=artefact,
        name=section.top("Name"),
        created=_stamp(artefact, section.anywhere("Creation Timestamp"), Clock.CONTROL_PLANE),
        launched=done.get("Launched"),
        registered=done.get("Registered"),
        initialized=done.get("Initialized"),
        conditions=conditions,
        node=_value(section, "Node Name"),
        provider_id=_value(section, "Provider ID"),
        instance_type=labels.get("node.kubernetes.io/instance-type", ""),
        capacity_type=labels.get("karpenter.sh/capacity-type", ""),
        zone=labels.get("topology.kubernetes.io/zone", ""),
    )


def described_node(artefact: str, section: Section) -> Node:
    """The node of a section."""
    allocatable = {f.key: f.value for f in section.below("Allocatable")}
    taints = [section.top("Taints"), *(f.text for f in section.below("Taints"))]
    return Node(
        artefact=artefact,
        name=section.top("Name"),
        created=_stamp(artefact, section.anywhere("CreationTimestamp"), Clock.CONTROL_PLANE),
        conditions=_node_conditions(artefact, section),
        labels=section.pairs("Labels"),
        provider_id=_value(section, "ProviderID"),
        allocatable_gpus=gpus(allocatable) if allocatable else None,
        taints=tuple(t for t in taints if _TAINT.fullmatch(t)),
        kubelet_version=_value(section, "Kubelet Version"),
        runtime_version=_value(section, "Container Runtime Version"),
    )


def described_workload(artefact: str, section: Section, kind: str) -> Workload:
    """The Deployment, ReplicaSet or the like of a section."""
    replicas = section.top("Replicas")
    desired = re.search(r"([0-9]{1,9}) desired", replicas) or _NUMBER.match(replicas)
    return Workload(
        artefact=artefact,
        kind=kind,
        name=section.top("Name"),
        namespace=section.top("Namespace"),
        created=_stamp(artefact, section.anywhere("CreationTimestamp"), Clock.CONTROL_PLANE),
        replicas=int(desired[1]) if desired else None,
        strategy=section.top("StrategyType"),
        owner=section.top("Controlled By"),
    )


def listed_conditions(artefact: str, section: Section, clock: Clock) -> tuple[Condition, ...]:
    """Conditions of the generic describer."""
    found: list[Condition] = []
    current: dict[str, Field] = {}
    for field in section.below("Conditions"):
        if field.key not in _CONDITION_KEYS:
            continue
        if field.key in current:
            found.extend(_condition(artefact, current, clock))
            current = {}
        current[field.key] = field
    return (*found, *_condition(artefact, current, clock))


def _condition(artefact: str, fields: dict[str, Field], clock: Clock) -> list[Condition]:
    values = {key: field.value for key, field in fields.items()}
    if not values.get("Type") or not values.get("Status"):
        return []
    transition = fields.get("Last Transition Time")
    said = f"{values['Type']}={values['Status']}"
    return [
        Condition(
            type=values["Type"],
            status=values["Status"],
            reason=values.get("Reason", ""),
            message=values.get("Message", ""),
            transition=_stamp(artefact, transition, clock, f" ({said})"),
        )
    ]


def _node_conditions(artefact: str, section: Section) -> tuple[Condition, ...]:
    """The table of a node: type, status, heartbeat, transition, reason, message."""
    found: list[Condition] = []
    for field in section.below("Conditions"):
        cells = _CELL_GAP.split(field.text, maxsplit=5)
        if len(cells) < 5 or cells[1] not in ("True", "False", "Unknown"):  # noqa: PLR2004
            continue
        moment = printed(cells[3])
        found.append(
            Condition(
                type=cells[0],
                status=cells[1],
                reason=cells[4],
                message=cells[5] if len(cells) > 5 else "",  # noqa: PLR2004
                transition=None
                if moment is None or moment.is_age
                else Stamp(
                    at_ns=moment.ns,
                    resolution_ns=moment.resolution_ns,
                    clock=Clock.NODE,
                    evidence=Evidence(artefact=artefact, line=field.line, text=field.text),
                ),
            )
        )
    return tuple(found) or table_conditions(section)


def _stamp(artefact: str, field: Field | None, clock: Clock, also: str = "") -> Stamp | None:
    moment = printed(field.value) if field else None
    if field is None or moment is None or moment.is_age:
        return None
    return Stamp(
        at_ns=moment.ns,
        resolution_ns=moment.resolution_ns,
        clock=clock,
        evidence=Evidence(artefact=artefact, line=field.line, text=field.text + also),
    )


def _value(section: Section, key: str) -> str:
    field = section.anywhere(key)
    return "" if field is None or field.value in UNKNOWN else field.value
