"""Whole saves, in the shapes of several versions of Kubernetes."""

from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import ContainerKind, Probe
from tests.readers.kube.cluster_objects import at, saved


def test_a_list_of_1_20() -> None:
    """A pod that became ready, and its events: no condition of the sandbox yet."""
    cluster = saved("1.20-start.json")
    (pod,) = cluster.pods
    fetch, server = pod.containers

    assert ("demo", "vllm-7b9d6c4f8-zr8hk") == (pod.namespace, pod.name)
    assert pod.acknowledged
    assert (at("09:00:01"), Clock.NODE) == (pod.acknowledged.at_ns, pod.acknowledged.clock)
    assert ["Initialized", "Ready", "ContainersReady", "PodScheduled"] == [
        c.type for c in pod.conditions
    ]
    assert (ContainerKind.INIT, 0) == (fetch.kind, fetch.current and fetch.current.exit_code)
    assert (("vllm", "serve"), ("--model", "/models/m")) == (server.command, server.args)
    assert (1, "24Gi", True) == (server.gpus, server.memory_limit, server.ready)
    assert Probe(what="GET :8000/health") == server.readiness_probe
    assert None is server.startup_probe
    assert at("09:01:12") == (
        server.current and server.current.started and server.current.started.at_ns
    )


def test_events_of_1_20() -> None:
    """The scheduler's microseconds make the nanoseconds of the name credible; nothing does
    for a name that somebody made up."""
    scheduled, unhealthy = saved("1.20-start.json").events

    assert ("default-scheduler", "Pod", "") == (
        scheduled.component,
        scheduled.kind,
        scheduled.container,
    )
    assert scheduled.first
    assert (at("09:00:01.250032188"), 1, Clock.CONTROL_PLANE) == (
        scheduled.first.at_ns,
        scheduled.first.resolution_ns,
        scheduled.first.clock,
    )
    assert unhealthy.first
    assert unhealthy.last
    assert ("server", 3, Clock.NODE) == (
        unhealthy.container,
        unhealthy.count,
        unhealthy.first.clock,
    )
    assert (at("09:01:20"), NS_PER_S) == (unhealthy.first.at_ns, unhealthy.first.resolution_ns)
    assert at("09:01:40") == unhealthy.last.at_ns


def test_yaml_of_1_29() -> None:
    """A sidecar, named ports; the annotation's JSON is no object of its own."""
    cluster = saved("1.29-sidecar.yaml")
    (pod,) = cluster.pods
    proxy, fetch, server = pod.containers

    assert (ContainerKind.SIDECAR, ContainerKind.INIT, ContainerKind.MAIN) == (
        proxy.kind,
        fetch.kind,
        server.kind,
    )
    assert Probe(what="GET :8000/health") == server.liveness_probe
    assert (
        Probe(what="grpc :9000", initial_delay_s=5, period_s=5, failure_threshold=120)
        == server.startup_probe
    )
    assert (2, (), ("--port", "8000")) == (server.gpus, server.command, server.args)
    assert (None, "CrashLoopBackOff") == (server.current, server.waiting_reason)
    assert server.previous
    assert server.previous.evidence
    assert (137, "OOMKilled") == (server.previous.exit_code, server.previous.reason)
    assert 'exitCode: 137, reason: "OOMKilled"' == server.previous.evidence.text


def test_clocks_of_conditions() -> None:
    """Scheduling and readiness gates are the control plane's, the rest the kubelet's."""
    (pod,) = saved("1.29-sidecar.yaml").pods

    assert {
        "PodReadyToStartContainers": Clock.NODE,
        "Initialized": Clock.NODE,
        "Ready": Clock.NODE,
        "PodScheduled": Clock.CONTROL_PLANE,
        "target-health.elbv2.k8s.aws/vllm": Clock.CONTROL_PLANE,
    } == {c.type: c.transition.clock for c in pod.conditions if c.transition}


def test_a_deletion_is_stamped_with_its_end() -> None:
    """What counts is when it was asked for; the evidence has the words and says so."""
    (pod,) = saved("1.29-sidecar.yaml").pods

    assert pod.deleted
    assert at("09:30:00") == pod.deleted.at_ns
    assert (
        'deletionTimestamp: "2026-03-02T09:30:30Z"'
        " (the request, plus deletionGracePeriodSeconds: 30)"
    ) == pod.deleted.evidence.text


def test_a_watch_of_1_33() -> None:
    """The last state of each object counts; bookmarks and errors are no objects."""
    cluster = saved("1.33-watch.jsonl")
    (pod,) = cluster.pods

    assert ["Pulling", "Pulled", "Created"] == [e.reason for e in cluster.events]
    assert [
        at("09:00:03.500000001"),
        at("09:01:09.700000002"),
        at("09:01:09.800000003"),
    ] == [e.first.at_ns for e in cluster.events if e.first]
    assert "Image size: 8900000000 bytes." in cluster.events[1].message
    assert pod.deleted
    assert (at("09:10:00"), 8) == (pod.deleted.at_ns, pod.containers[0].gpus)
    ready = pod.condition("Ready")
    assert ready
    assert ready.transition
    assert (at("09:03:00"), 8) == (ready.transition.at_ns, ready.transition.evidence.line)


def test_only_a_true_condition_completes_a_claim() -> None:
    """Karpenter stamps what has not happened too."""
    claims = {claim.name: claim for claim in saved("karpenter-1.x.json").node_claims}
    done = {
        name: [s and s.at_ns for s in (c.launched, c.registered, c.initialized)]
        for name, c in claims.items()
    }

    assert {
        "gpu-c3ptx": [at("08:59:13"), at("08:59:33"), at("08:59:40")],
        "gpu-stuck": [at("08:50:02"), None, None],
        "old-beta": [at("08:40:05"), at("08:41:00"), None],
        "older-alpha": [at("08:30:05"), at("08:31:00"), None],
    } == done


def test_what_a_claim_became() -> None:
    """By its labels; a requirement with one value is no choice, one with two is."""
    claims = {claim.name: claim for claim in saved("karpenter-1.x.json").node_claims}
    known = claims["gpu-c3ptx"]
    stuck = claims["gpu-stuck"]

    assert ("g7e.2xlarge", "spot", "us-west-2b", "gpu-1") == (
        known.instance_type,
        known.capacity_type,
        known.zone,
        known.node,
    )
    assert ("", "on-demand", "", "") == (
        stuck.instance_type,
        stuck.capacity_type,
        stuck.zone,
        stuck.node,
    )


def test_a_node() -> None:
    """Its images; silence is stamped by the control plane."""
    (node,) = saved("karpenter-1.x.json").nodes

    assert {
        "example.org/vllm@sha256:33": 23_000_000_000,
        "example.org/vllm:v3": 23_000_000_000,
        "example.org/pause:3": 300_000,
    } == node.image_bytes
    assert [Clock.NODE, Clock.NODE, Clock.CONTROL_PLANE] == [
        c.transition.clock for c in node.conditions if c.transition
    ]


def test_workloads() -> None:
    """Of another API's Machine and of a Service nothing is said."""
    cluster = saved("karpenter-1.x.json")

    assert [("Deployment", "vllm"), ("ReplicaSet", "vllm-7b9d6c4f8")] == [
        (w.kind, w.name) for w in cluster.workloads
    ]
    assert 4 == len(cluster.node_claims)
