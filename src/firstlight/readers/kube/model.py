"""
What Kubernetes says about a start, as values.

The API gives objects whose stamps are whole seconds, written by two hosts: the
control plane (creation, scheduling, Karpenter) and the node (container states,
kubelet events, Ready conditions). Each stamp here keeps its clock, its resolution
and the words it was read from. What was not said is None, or an empty tuple;
nothing is defaulted. The same values come from JSON, YAML, `kubectl get events`
tables, `kubectl describe` text and Karpenter's log.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A moment as some component of the cluster wrote it."""

    at_ns: int
    """Unix nanoseconds; negative ones count back from a capture whose moment nobody knows."""
    resolution_ns: int
    """How far off `at_ns` may be: a stamp is cut to what is before it, an age to what is after."""
    clock: Clock
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One entry of a `status.conditions` list."""

    type: str
    status: str
    """True, False or Unknown, as written."""
    reason: str = ""
    message: str = ""
    transition: Stamp | None = None
    """When the status last changed. Of a condition that is not True this completes nothing."""

    @property
    def is_true(self) -> bool:
        return self.status == "True"


class ContainerKind(StrEnum):
    """How a container takes part in the start."""

    INIT = "init"
    SIDECAR = "sidecar"
    """An initContainer with restartPolicy Always."""
    MAIN = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A startup, readiness or liveness probe, with the API's defaults filled in."""

    what: str
    """`GET :8000/health`, `tcp :8000`, `exec`."""
    initial_delay_s: int = 0
    period_s: int = 10
    failure_threshold: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a container: running, or ended."""

    started: Stamp | None = None
    finished: Stamp | None = None
    exit_code: int | None = None
    """None while it runs."""
    reason: str = ""
    """`OOMKilled`, `Error`, `Completed`, ..."""
    message: str = ""
    evidence: Evidence | None = None
    """The words of its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container of a pod: what was asked for, and what became of it."""

    name: str
    kind: ContainerKind
    image: str = ""
    image_id: str = ""
    command: tuple[str, ...] = ()
    """What is started instead of the image's entrypoint; empty where it is that, and in a
    fragment."""
    args: tuple[str, ...] = ()
    ready: bool = False
    restarts: int = 0
    current: Run | None = None
    """None while it waits."""
    previous: Run | None = None
    """`lastState.terminated`: the run before, the only earlier one the API keeps."""
    waiting_reason: str = ""
    waiting_message: str = ""
    startup_probe: Probe | None = None
    readiness_probe: Probe | None = None
    liveness_probe: Probe | None = None
    memory_limit: str = ""
    """As written: `24Gi`."""
    cpu_limit: str = ""
    gpus: int = 0
    """Of any accelerator's resource asked for."""
    environment: Mapping[str, str] | None = None
    """By name, secrets blacked out, `(secretKeyRef hf token)` where the value is elsewhere; None
    where its spec is not there."""
    mounts: Mapping[str, str] = field(default_factory=dict)
    """By the path in the container: `hostPath /var/cache`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod."""

    artefact: str
    name: str
    namespace: str = ""
    uid: str = ""
    node: str = ""
    created: Stamp | None = None
    deleted: Stamp | None = None
    acknowledged: Stamp | None = None
    """status.startTime: when the kubelet took the pod on, by the node's clock."""
    phase: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    containers: tuple[Container, ...] = ()
    """initContainers in their order, then the others in theirs."""
    labels: Mapping[str, str] = field(default_factory=dict)
    owner: str = ""
    """Who makes another when this one goes, `ReplicaSet/vllm-6c9f7d5b8`; empty where it does
    not say, or nobody does."""

    def condition(self, type_: str) -> Condition | None:
        return next((c for c in self.conditions if c.type == type_), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event, or what is left of it in a table."""

    reason: str
    message: str = ""
    kind: str = ""
    """Of the object it is about: Pod, Node, NodeClaim, ...; empty where a table does not say."""
    name: str = ""
    namespace: str = ""
    uid: str = ""
    container: str = ""
    """From the field path `spec.containers{vllm}`; empty where it is about no container."""
    type: str = ""
    """Normal or Warning."""
    component: str = ""
    """Who says it: default-scheduler, kubelet, karpenter, ..."""
    first: Stamp | None = None
    """Its first occurrence, by the finest clock that agrees with the others: eventTime, the
    UnixNano at the end of the event's name, firstTimestamp."""
    last: Stamp | None = None
    count: int = 1
    recorded: Stamp | None = None
    """metadata.creationTimestamp: the API server's clock, when it took the event in."""
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node."""

    artefact: str
    name: str
    created: Stamp | None = None
    """When the kubelet registered it."""
    conditions: tuple[Condition, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    image_bytes: Mapping[str, int] = field(default_factory=dict)
    """Size of each image on the node, by each of its names."""
    software: Mapping[str, str] = field(default_factory=dict)
    """By the API's names: `kubeletVersion`, `containerRuntimeVersion`, `kernelVersion`, `osImage`,
    `architecture`."""

    def image_evidence(self, name: str) -> Evidence:
        """The words of an image's size."""
        return Evidence(
            artefact=self.artefact,
            text=f"sizeBytes: {self.image_bytes[name]}",
            path=f"Node {self.name}: status.images[{name}]",
        )

    def condition(self, type_: str) -> Condition | None:
        return next((c for c in self.conditions if c.type == type_), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClaim:
    """A Karpenter NodeClaim, from the object, its description, or the controller's log."""

    artefact: str
    name: str
    created: Stamp | None = None
    launched: Stamp | None = None
    """These three only where the condition is True, or the controller said it happened."""
    registered: Stamp | None = None
    initialized: Stamp | None = None
    conditions: tuple[Condition, ...] = ()
    node: str = ""
    instance_type: str = ""
    capacity_type: str = ""
    zone: str = ""
    machine_image: str = ""
    """What the machine was made from, as its provider calls it: `ami-0abc`."""
    last_seen: Stamp | None = None
    """Of a log: its last line, so that what had not happened until then can be said."""

    def condition(self, type_: str) -> Condition | None:
        return next((c for c in self.conditions if c.type == type_), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A Deployment, ReplicaSet or the like."""

    artefact: str
    kind: str
    name: str
    namespace: str = ""
    created: Stamp | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSeen:
    """Everything some artefacts say about a cluster."""

    pods: tuple[Pod, ...] = ()
    events: tuple[Event, ...] = ()
    nodes: tuple[Node, ...] = ()
    node_claims: tuple[NodeClaim, ...] = ()
    workloads: tuple[Workload, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.pods or self.events or self.nodes or self.node_claims or self.workloads)
