"""Karpenter's log, of every age."""

import json

import pytest

from firstlight.core.marks import Clock
from firstlight.readers.kube.model import NodeClaim, Stamp
from tests.readers.kube_text import samples
from tests.readers.kube_text.reading import at, read, whole

MS = 1_000_000
T0 = whole("2025-06-10T09:58:00")


def only(text: str) -> NodeClaim:
    (claim,) = read(text).node_claims
    return claim


def steps(claim: NodeClaim) -> list[int | None]:
    def after(stamp: Stamp | None) -> int | None:
        return None if stamp is None else (stamp.at_ns - T0) // MS

    return [after(s) for s in (claim.created, claim.launched, claim.registered, claim.initialized)]


def record(second: str, message: str, **fields: object) -> str:
    head = {"level": "INFO", "time": f"2025-06-10T09:58:{second}Z", "logger": "controller"}
    return json.dumps({**head, "message": message, "commit": "abc", **fields}) + "\n"


def test_a_whole_life() -> None:
    """Four steps with milliseconds, by the control plane's clock."""
    claim = only(samples.KARPENTER)

    assert [40_205, 43_007, 72_930, 121_500] == steps(claim)
    assert claim.launched is not None
    assert (MS, Clock.CONTROL_PLANE) == (claim.launched.resolution_ns, claim.launched.clock)
    assert ("gpu-7xk2m", "ip-10-0-3-7.ec2.internal") == (claim.name, claim.node)
    assert ("g6.xlarge", "spot", "us-east-1a") == (
        claim.instance_type,
        claim.capacity_type,
        claim.zone,
    )
    assert 3 == claim.launched.evidence.line


def test_the_last_line_says_how_far_the_log_reaches() -> None:
    """Whatever it is about."""
    assert whole("2025-06-10T10:00:31") == at(only(samples.KARPENTER).last_seen)


def test_what_never_happened_is_none() -> None:
    """Launched, and fifteen minutes later the pods wait again."""
    text = record("01.000", "launched nodeclaim", NodeClaim={"name": "a-1"}) + record(
        "59.000", "found provisionable pod(s)"
    )
    claim = only(text)

    assert [None, 1000, None, None] == steps(claim)
    assert T0 + 59_000 * MS == at(claim.last_seen)


@pytest.mark.parametrize(
    "fields",
    [
        {"nodeclaim": "a-1"},
        {"NodeClaim": {"name": "a-1"}},
        {"controllerKind": "NodeClaim", "name": "a-1"},
    ],
)
def test_every_version_names_the_claim(fields: dict[str, object]) -> None:
    """A field of its own, as text or as an object, or the object that is reconciled."""
    assert "a-1" == only(record("01.000", "registered nodeclaim", **fields)).name


def test_machines_are_the_claims_of_older_versions() -> None:
    """In zap's console form: stamp, level, logger, words, JSON."""
    text = (
        "2025-06-10T09:58:01.100Z\tINFO\tcontroller.provisioner\tcreated machine\t"
        '{"commit": "abc", "machine": "default-4q9zn"}\n'
        "2025-06-10T09:58:03.200Z\tINFO\tcontroller.machine.lifecycle\tlaunched machine\t"
        '{"machine": "default-4q9zn", "provider-id": "aws:///z/i-1", '
        '"instance-type": "g4dn.xlarge"}\n'
        "2025-06-10T09:58:40.300Z    INFO    controller.machine.lifecycle    registered machine    "
        '{"machine": "default-4q9zn", "node": "n1"}\n'
    )
    claim = only(text)

    assert [1100, 3200, 40_300, None] == steps(claim)
    assert ("n1", "g4dn.xlarge") == (claim.node, claim.instance_type)


@pytest.mark.parametrize(
    "words",
    [
        (
            'launched new instance\t{"id": "i-1", "hostname": "n1", "instance-type": "g5.xlarge", '
            '"zone": "z", "capacity-type": "spot"}'
        ),
        "Launched instance: i-1, hostname: n1, type: g5.xlarge, zone: z, capacityType: spot",
    ],
)
def test_before_claims_there_were_instances(words: str) -> None:
    """A launch with no object behind it: no name, and the node it became."""
    claim = only(f"2025-06-10T09:58:03.200Z\tINFO\tcontroller.provisioner.cloudprovider\t{words}\n")

    assert [None, 3200, None, None] == steps(claim)
    assert ("", "n1", "g5.xlarge", "spot", "z") == (
        claim.name,
        claim.node,
        claim.instance_type,
        claim.capacity_type,
        claim.zone,
    )


@pytest.mark.parametrize(
    ("message", "error", "reason"),
    [
        ("terminating due to registration ttl", "", "RegistrationTimeout"),
        (
            "failed launching nodeclaim",
            "InsufficientInstanceCapacity: none",
            "InsufficientCapacityError",
        ),
        (
            "Reconciler error",
            "insufficient capacity, all types are unavailable",
            "InsufficientCapacityError",
        ),
        ("Reconciler error", "something else", "Error"),
        ("deleted nodeclaim", "", "Deleted"),
    ],
)
def test_what_went_wrong_is_an_event_about_the_claim(message: str, error: str, reason: str) -> None:
    """Launched, and then."""
    fields = {"level": "ERROR", "error": error} if error else {}
    seen = read(record("05.000", message, NodeClaim={"name": "a-1"}, **fields))
    (found,) = seen.events

    assert (reason, "NodeClaim", "a-1", "karpenter") == (
        found.reason,
        found.kind,
        found.name,
        found.component,
    )
    assert T0 + 5000 * MS == at(found.first)
    assert error in found.message


def test_a_pod_that_fits_nowhere() -> None:
    """An error about a pod is an event about that pod."""
    pod = {"name": "qwen-0", "namespace": "models"}
    (found,) = read(record("05.000", "could not schedule pod", level="ERROR", Pod=pod)).events

    assert ("Pod", "qwen-0", "models") == (found.kind, found.name, found.namespace)


def test_the_first_telling_of_a_step_counts() -> None:
    """A restarted controller may tell it again."""
    text = "".join(record(s, "launched nodeclaim", nodeclaim="a") for s in ("01.000", "09.000"))

    assert [None, 1000, None, None] == steps(only(text))


def test_lines_of_others_are_not_karpenters() -> None:
    """JSON of vLLM, of another controller, damaged JSON, JSON that is no object."""
    text = (
        '{"level":"INFO","time":"2025-06-10T09:58:01Z","message":"claimed a machine"}\n'
        '{"message":"launched nodeclaim","controller":\n["nodeclaim"]\n'
        '{"levelname":"INFO","message":"created nodeclaim cache","asctime":"x"}\n'
    )

    assert read(text).is_empty


@pytest.mark.parametrize("time", ["", "soon", 5, None, {"a": 1}, "2025-13-45T99:00:00Z"])
def test_a_line_without_a_moment_tells_nothing(time: object) -> None:
    """Nothing is dated by guess."""
    assert () == read(record("01.000", "launched nodeclaim", nodeclaim="a", time=time)).node_claims
