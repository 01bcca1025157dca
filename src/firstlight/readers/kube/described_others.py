"""
Descriptions of nodes, NodeClaims and workloads.

A node has its conditions in a table with stamps. A NodeClaim goes through kubectl's
generic describer, which flattens the list of conditions: their keys follow one another,
sorted, and where a key comes again the next condition has begun. A condition completes
something only while it is True.
"""

import re

from firstlight.core.marks import Clock
from firstlight.readers.kube.described import Field, Section
from firstlight.readers.kube.described_pods import table_conditions
from firstlight.readers.kube.described_stamps import field_stamp, words_stamp
from firstlight.readers.kube.model import Condition, Node, NodeClaim, Workload
from firstlight.readers.kube.node_claims import done_steps
from firstlight.readers.kube.printed_moments import UNKNOWN

CLAIM_CONDITIONS = frozenset({"Launched", "Registered"})
_CLAIMS = ("NodeClaim", "Machine")
_CONDITION_KEYS = frozenset(
    {
        *("Last Transition Time", "Last Heartbeat Time", "Last Probe Time", "Message"),
        *("Observed Generation", "Reason", "Severity", "Status", "Type"),
    }
)
_SOFTWARE = {
    "Kubelet Version": "kubeletVersion",
    "Container Runtime Version": "containerRuntimeVersion",
    "Kernel Version": "kernelVersion",
    "OS Image": "osImage",
    "Architecture": "architecture",
}
_CELL_GAP = re.compile(r"\s{2,}")


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
    labels = section.pairs("Labels")
    return NodeClaim(
        artefact=artefact,
        name=section.top("Name"),
        created=field_stamp(artefact, section.anywhere("Creation Timestamp"), Clock.CONTROL_PLANE),
        **done_steps(conditions),
        conditions=conditions,
        node=_value(section, "Node Name"),
        instance_type=labels.get("node.kubernetes.io/instance-type", ""),
        capacity_type=labels.get("karpenter.sh/capacity-type", ""),
        zone=labels.get("topology.kubernetes.io/zone", ""),
        machine_image=_value(section, "Image ID"),
    )


def described_node(artefact: str, section: Section) -> Node:
    """The node of a section."""
    return Node(
        artefact=artefact,
        name=section.top("Name"),
        created=field_stamp(artefact, section.anywhere("CreationTimestamp"), Clock.CONTROL_PLANE),
        conditions=_node_conditions(artefact, section),
        labels=section.pairs("Labels"),
        software={
            _SOFTWARE[f.key]: f.value for f in section.below("System Info") if f.key in _SOFTWARE
        },
    )


def described_workload(artefact: str, section: Section, kind: str) -> Workload:
    """The Deployment, ReplicaSet or the like of a section."""
    return Workload(
        artefact=artefact,
        kind=kind,
        name=section.top("Name"),
        namespace=section.top("Namespace"),
        created=field_stamp(artefact, section.anywhere("CreationTimestamp"), Clock.CONTROL_PLANE),
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
            transition=field_stamp(artefact, transition, clock, also=f" ({said})"),
        )
    ]


def _node_conditions(artefact: str, section: Section) -> tuple[Condition, ...]:
    """The table of a node: type, status, heartbeat, transition, reason, message."""
    found: list[Condition] = []
    for field in section.below("Conditions"):
        cells = _CELL_GAP.split(field.text, maxsplit=5)
        if len(cells) < 5 or cells[1] not in ("True", "False", "Unknown"):  # noqa: PLR2004
            continue
        found.append(
            Condition(
                type=cells[0],
                status=cells[1],
                reason=cells[4],
                message=cells[5] if len(cells) > 5 else "",  # noqa: PLR2004
                transition=words_stamp(artefact, field, cells[3], Clock.NODE),
            )
        )
    return tuple(found) or table_conditions(section)


def _value(section: Section, key: str) -> str:
    field = section.anywhere(key)
    return "" if field is None or field.value in UNKNOWN else field.value
