"""What is read of a pod and its containers."""

import json
from typing import Any

import pytest

from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.model import ContainerKind, Probe
from firstlight.readers.kube.text import read_text
from tests.readers.kube.cluster_objects import at, condition, pod, pod_of, stamp


def with_container(**fields: Any) -> dict[str, Any]:
    """A pod with one container of these fields."""
    return pod(containers=[{"name": "server", **fields}])


def with_status(**fields: Any) -> dict[str, Any]:
    """A pod with one container of this status."""
    obj = with_container()
    obj["status"]["containerStatuses"] = [{"name": "server", **fields}]
    return obj


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            {"httpGet": {"path": "/health", "port": "http", "scheme": "HTTPS"}},
            Probe(what="GET :8000/health"),
        ),
        ({"httpGet": {"port": 8080}}, Probe(what="GET :8080/")),
        ({"httpGet": {"path": "ready", "port": "8080"}}, Probe(what="GET :8080/ready")),
        ({"httpGet": {"path": "/x", "port": "unheard-of"}}, Probe(what="GET :unheard-of/x")),
        ({"tcpSocket": {"port": "http"}, "periodSeconds": 0}, Probe(what="tcp :8000")),
        ({"grpc": {"port": 9000}}, Probe(what="grpc :9000")),
        (
            {
                "exec": {"command": ["true"]},
                "initialDelaySeconds": 30,
                "periodSeconds": 5,
                "timeoutSeconds": 2,
                "failureThreshold": 60,
                "successThreshold": 2,
            },
            Probe(
                what="exec",
                initial_delay_s=30,
                period_s=5,
                failure_threshold=60,
            ),
        ),
        ({"exec": {}, "periodSeconds": "5", "timeoutSeconds": -1}, Probe(what="exec")),
        (None, None),
        ([], None),
    ],
)
def test_probes_have_the_defaults_of_the_api(written: Any, expected: Probe | None) -> None:
    """As written, and filled in where nothing or a zero was; a port's name is looked up."""
    obj = with_container(startupProbe=written, ports=[{"name": "http", "containerPort": 8000}])
    (server,) = pod_of(obj).containers

    assert expected == server.startup_probe
    assert None is server.readiness_probe


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"nvidia.com/gpu": "4"}, 4),
        ({"amd.com/gpu": 2}, 2),
        ({"nvidia.com/gpu": "1", "nvidia.com/mig-1g.10gb": "2", "cpu": "7"}, 3),
        ({"nvidia.com/gpu.shared": "1"}, 1),
        ({"example.org/gpu-memory": "16", "memory": "1Gi"}, 0),
        ({"google.com/tpu": "8"}, 8),
        ({"aws.amazon.com/neuron": "1"}, 1),
        ({"nvidia.com/gpu": "${GPUS}"}, 1),
        ({"nvidia.com/gpu": "0"}, 0),
        ({"nvidia.com/gpu": -1}, 0),
        (None, 0),
        (["nvidia.com/gpu"], 0),
    ],
)
def test_gpus_of_every_vendor(limits: Any, expected: int) -> None:
    """Whole devices and partitions; their memory is no device."""
    (server,) = pod_of(with_container(resources={"limits": limits})).containers

    assert expected == server.gpus


@pytest.mark.parametrize(
    ("field", "policy", "expected"),
    [
        ("initContainers", None, ContainerKind.INIT),
        ("initContainers", "OnFailure", ContainerKind.INIT),
        ("initContainers", "Always", ContainerKind.SIDECAR),
        ("containers", "Always", ContainerKind.MAIN),
    ],
)
def test_kinds_of_containers(field: str, policy: str | None, expected: ContainerKind) -> None:
    """Only an initContainer that restarts always is a sidecar."""
    obj = pod()
    obj["spec"][field] = [{"name": "c", "restartPolicy": policy}]
    (container,) = pod_of(obj).containers

    assert expected is container.kind


def test_a_running_container() -> None:
    """It has begun and has no end; the run before it is kept."""
    obj = with_status(
        ready=True,
        restartCount=2,
        state={"running": {"startedAt": stamp("09:05:00")}},
        lastState={
            "terminated": {
                "exitCode": 139,
                "signal": 11,
                "reason": "Error",
                "startedAt": stamp("09:01:00"),
                "finishedAt": stamp("09:04:00"),
            }
        },
    )
    (server,) = pod_of(obj).containers

    assert server.current
    assert server.current.started
    assert (at("09:05:00"), None, None) == (
        server.current.started.at_ns,
        server.current.finished,
        server.current.exit_code,
    )
    assert (
        "Pod demo/vllm-0: status.containerStatuses[server].state.running.startedAt"
        == server.current.started.evidence.path
    )
    assert server.previous
    assert server.previous.started
    assert server.previous.finished
    assert server.previous.evidence
    assert (139, 2) == (server.previous.exit_code, server.restarts)
    assert (at("09:01:00"), at("09:04:00")) == (
        server.previous.started.at_ns,
        server.previous.finished.at_ns,
    )
    assert 'exitCode: 139, signal: 11, reason: "Error"' == server.previous.evidence.text


def test_a_waiting_container_does_not_run() -> None:
    """Not even where the state has all three kinds, two of them empty."""
    obj = with_status(
        state={
            "waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling"},
            "running": None,
            "terminated": None,
        }
    )
    (server,) = pod_of(obj).containers

    assert (None, "ImagePullBackOff", "Back-off pulling") == (
        server.current,
        server.waiting_reason,
        server.waiting_message,
    )


@pytest.mark.parametrize(("written", "expected"), [(2, 2), (2.0, 2), (True, 0), ("2", 0), (-1, 0)])
def test_restarts_are_a_number(written: object, expected: int) -> None:
    """Anything else counts as none told of."""
    (server,) = pod_of(with_status(restartCount=written)).containers

    assert expected == server.restarts


def test_a_container_that_only_the_status_knows() -> None:
    """A fragment without a spec still tells what runs."""
    obj = {"status": {"containerStatuses": [{"name": "server", "image": "i:1", "ready": True}]}}
    (server,) = pod_of(obj).containers

    assert ("server", "i:1", True, ContainerKind.MAIN) == (
        server.name,
        server.image,
        server.ready,
        server.kind,
    )


@pytest.mark.parametrize(
    ("grace", "expected"), [(0, "09:30:30"), (30, "09:30:00"), (None, None), (10**18, None)]
)
def test_the_request_to_delete(grace: int | None, expected: str | None) -> None:
    """The stamp less the grace; unknown where the grace is not there or is absurd."""
    obj = pod()
    obj["metadata"] |= {
        "deletionTimestamp": stamp("09:30:30"),
        "deletionGracePeriodSeconds": grace,
    }
    deleted = pod_of(obj).deleted

    assert (expected and at(expected)) == (deleted and deleted.at_ns)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-02T09:00:00Z", (at("09:00:00"), NS_PER_S)),
        ("2026-03-02T11:00:00+02:00", (at("09:00:00"), NS_PER_S)),
        ("2026-03-02T09:00:00.123456Z", (at("09:00:00.123456"), 1000)),
        ("0001-01-01T00:00:00Z", None),
        ("1970-01-01T00:00:00Z", None),
        ("2013-12-31T23:59:59Z", None),
        ("9999-12-31T23:59:59Z", None),
        ("2026-02-30T09:00:00Z", None),
        ("noon", None),
        (1772442000, None),
        (None, None),
    ],
)
def test_stamps(written: object, expected: tuple[int, int] | None) -> None:
    """Exact, with the resolution they are written in; Go's zero time and a node's 1970 are
    no moments."""
    obj = pod()
    obj["metadata"]["creationTimestamp"] = written
    created = pod_of(obj).created

    assert expected == (created and (created.at_ns, created.resolution_ns))


@pytest.mark.parametrize(
    ("type_", "clock"),
    [
        ("PodReadyToStartContainers", Clock.NODE),
        ("PodHasNetwork", Clock.NODE),
        ("ContainersReady", Clock.NODE),
        ("PodScheduled", Clock.CONTROL_PLANE),
        ("DisruptionTarget", Clock.CONTROL_PLANE),
        ("example.org/warmed-up", Clock.CONTROL_PLANE),
    ],
)
def test_who_writes_a_condition(type_: str, clock: Clock) -> None:
    """The kubelet, or somebody in the control plane."""
    obj = pod()
    obj["status"]["conditions"] = [condition(type_, "09:00:00", "False")]
    (read,) = pod_of(obj).conditions

    assert read.transition
    assert (clock, False) == (read.transition.clock, read.is_true)


@pytest.mark.parametrize("type_", ["Ready", "PodScheduled", "example.org/warmed-up"])
def test_a_condition_has_one_clock_however_it_was_saved(type_: str) -> None:
    """As part of its object, or as a line that somebody printed."""
    obj = pod()
    saved = [condition(one, "09:00:00") for one in ("ContainersReady", type_)]
    obj["status"]["conditions"] = saved
    lines = "\n".join(map(json.dumps, saved))

    clocks = [
        [c.transition.clock for c in one.conditions if c.transition]
        for one in (pod_of(obj), *read_text("a", lines, None).pods)
    ]

    assert 2 == len(clocks)
    assert clocks[0] == clocks[1]


def test_half_a_surrogate_pair_can_be_written_out() -> None:
    """JSON may escape what no encoding has."""
    obj = pod()
    obj["status"]["message"] = "a\ud800b"

    assert "a?b" == pod_of(obj).message
