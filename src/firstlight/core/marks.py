"""
Marks: moments that mean something.

A mark says what happened, when, by which clock, how exactly that clock tells
time, and where it was read. Marks come from log lines, from the probe and from
what `measure` itself saw; attribution does not care which.
"""

from dataclasses import dataclass
from enum import StrEnum

from firstlight.core.evidence import Evidence


class Clock(StrEnum):
    """Whose time a stamp is."""

    ENGINE = "engine"
    """vLLM's own stamp: whole seconds, no year, no time zone."""
    OUTER = "outer"
    """The stamp a container runtime, docker or a CI system put in front of the line."""
    MONOTONIC = "monotonic"
    """The measuring host's monotonic clock."""
    CONTROL_PLANE = "control_plane"
    """API server, scheduler and controllers: taken for one clock."""
    NODE = "node"
    """The kubelet's and its runtime's; the container's log stamps are of the same host."""


class MarkKind(StrEnum):
    """The moments that bound top-level phases, in the order a start passes them."""

    POD_CREATED = "pod_created"
    UNSCHEDULABLE = "unschedulable"
    NODE_ASKED = "node_asked"
    """A NodeClaim was created, or an autoscaler said that it makes a node."""
    NODE_LAUNCHED = "node_launched"
    NODE_REGISTERED = "node_registered"
    NODE_READY = "node_ready"
    NODE_INITIALIZED = "node_initialized"
    POD_SCHEDULED = "pod_scheduled"
    KUBELET_ACTS = "kubelet_acts"
    """A volume attached, a network made: something on the way to the first container."""
    PULL_BEGINS = "pull_begins"
    PULL_ENDS = "pull_ends"
    CONTAINER_CREATED = "container_created"
    CONTAINER_STARTED = "container_started"
    CONTAINER_ENDED = "container_ended"
    PROCESS_STARTED = "process_started"
    FIRST_LOG_LINE = "first_log_line"
    LOAD_BEGINS = "load_begins"
    WEIGHTS_IN_PLACE = "weights_in_place"
    ENGINE_READY = "engine_ready"
    SERVER_UP = "server_up"
    PORT_OPEN = "port_open"
    HEALTH_200 = "health_200"
    MODELS_200 = "models_200"
    POD_READY = "pod_ready"
    FIRST_TOKEN = "first_token"
    LAST_LOG_LINE = "last_log_line"
    """Of a start that did not come up: how far the input reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One moment, with its meaning, its precision and its evidence."""

    kind: MarkKind
    at_ns: int
    """Nanoseconds on one axis per start; only differences mean anything."""
    resolution_ns: int
    clock: Clock
    evidence: Evidence
