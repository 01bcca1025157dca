"""From a name to a bundle, whatever the cluster gives and refuses."""

from typing import Any

import pytest

from firstlight.capture.collect import Order, capture
from firstlight.capture.targets import parsed_target
from firstlight.core.errors import BadInput, NothingFound, OutsideFailed
from firstlight.core.units import NS_PER_S
from tests.capture.fake_cluster import FakeCluster, Lines, Memory, No, Skew

Object = dict[str, Any]
CREATED = "2026-11-29T20:00:00Z"
CREATED_NS = 1_795_982_400 * NS_PER_S
STARTED = "2026-11-29T20:00:10Z"


def a_pod(name: str = "vllm-abc-1", **status: Any) -> Object:
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "creationTimestamp": CREATED,
            "ownerReferences": [{"kind": "ReplicaSet", "name": "vllm-abc", "uid": "uid-rs"}],
        },
        "spec": {"nodeName": "node-1", "containers": [{"name": "server"}]},
        "status": {
            "containerStatuses": [
                {
                    "name": "server",
                    "containerID": "c",
                    "state": {"running": {"startedAt": STARTED}},
                    **status,
                }
            ]
        },
    }


def about(name: str, stamp: str, *, uid: str | None = None) -> Object:
    return {
        "metadata": {"name": f"{name}.1"},
        "involvedObject": {"kind": "Pod", "name": name, "uid": uid or f"uid-{name}"},
        "firstTimestamp": stamp,
        "message": "Nominated: should schedule on nodeclaim/claim-7",
    }


DEPLOYMENT = {
    "kind": "Deployment",
    "metadata": {"name": "vllm", "uid": "uid-d"},
    "spec": {
        "replicas": 1,
        "selector": {
            "matchLabels": {"app": "vllm"},
            "matchExpressions": [
                {"key": "tier", "operator": "In", "values": ["a", "b"]},
                {"key": "old", "operator": "DoesNotExist"},
            ],
        },
    },
}
REPLICA_SET = {
    "kind": "ReplicaSet",
    "metadata": {
        "name": "vllm-abc",
        "uid": "uid-rs",
        "ownerReferences": [{"kind": "Deployment", "name": "vllm", "uid": "uid-d"}],
    },
}
STRANGER = {"kind": "Pod", "metadata": {"name": "stranger", "uid": "s"}, "spec": {}}


def cluster(**more: Any) -> FakeCluster:
    """A Deployment with one pod and a log."""
    answers: dict[str, Object | No] = {
        "demo/deployments/vllm": DEPLOYMENT,
        "demo/replicasets": {"items": [REPLICA_SET]},
        "demo/pods": {"items": [a_pod(), STRANGER]},
        "demo/events": {"items": [about("vllm-abc-1", "2026-11-29T20:00:01Z")]},
        "nodes/node-1": {"kind": "Node", "metadata": {"name": "node-1"}},
        **more.pop("answers", {}),
    }
    logs = {"vllm-abc-1/server": Lines(lines=[b"2026-11-29T20:00:12.0Z ready\n"])}
    return FakeCluster(answers=answers, logs={**logs, **more.pop("logs", {})}, **more)


def captured(
    fake: FakeCluster, target: str = "deployment/vllm", *, after_s: int = 60
) -> tuple[Object, Memory]:
    memory = Memory()
    order = Order(
        target=parsed_target(target),
        captured_at_ns=CREATED_NS + after_s * NS_PER_S,
        version="1",
    )
    return capture(order, cluster=fake, new_bundle=memory, progress=lambda _: None), memory


def test_a_deployment_with_all_that_belongs_to_it() -> None:
    """Its pods by ownership; a stranger with the same labels is none of them."""
    fake = cluster()

    document, memory = captured(fake)

    assert ["vllm-abc-1"] == document["pods"]
    assert ["logs/vllm-abc-1/server.log"] == list(memory.logs)
    assert "demo/pods {'labelSelector': 'app=vllm,tier in (a,b),!old'}" in fake.asked
    assert [] == document["notes"] == document["not_allowed"]
    assert document == memory.documents["bundle.json"]
    assert set(document["files"]) == {*memory.documents, *memory.logs} - {"bundle.json"}


def test_a_pod_brings_its_owners() -> None:
    """Up to the Deployment."""
    fake = cluster(
        answers={"demo/pods/vllm-abc-1": a_pod(), "demo/replicasets/vllm-abc": REPLICA_SET}
    )

    _, memory = captured(fake, "po/vllm-abc-1")

    assert "vllm" == memory.documents["deployment.json"]["metadata"]["name"]
    assert 1 == len(memory.documents["replicasets.json"]["items"])


def test_only_the_claims_that_belong_to_it() -> None:
    """Of the pod's node, or named by an event about the pod."""

    def claim(name: str, node: str) -> Object:
        return {"kind": "NodeClaim", "metadata": {"name": name}, "status": {"nodeName": node}}

    claims = [claim("claim-1", "node-1"), claim("claim-7", ""), claim("claim-9", "node-9")]
    fake = cluster(answers={"nodeclaims.karpenter.sh": {"items": claims}})

    _, memory = captured(fake)

    names = [one["metadata"]["name"] for one in memory.documents["nodeclaims.json"]["items"]]
    assert ["claim-1", "claim-7"] == names


def test_events_about_an_earlier_pod_are_kept_and_about_strangers_not() -> None:
    """A warm start replaces a pod; its end is part of the story."""
    told = [about("vllm-abc-0", CREATED), about("vllm-abcd-1", CREATED), about("other", CREATED)]
    fake = cluster(answers={"demo/events": {"items": told}})

    _, memory = captured(fake)

    names = [e["involvedObject"]["name"] for e in memory.documents["events.json"]["items"]]
    assert ["vllm-abc-0"] == names


def test_expired_events_are_noted() -> None:
    """They live for an hour; a pod that is older has lost those of its start."""
    late = about("vllm-abc-1", "2026-11-29T22:00:00Z")

    fresh, _ = captured(cluster(answers={"demo/events": {"items": []}}), after_s=60)
    gone, _ = captured(cluster(answers={"demo/events": {"items": []}}), after_s=7200)
    cut, _ = captured(cluster(answers={"demo/events": {"items": [late]}}), after_s=7300)
    whole, _ = captured(cluster(), after_s=7200)

    assert [] == fresh["notes"] == whole["notes"]
    (note,) = gone["notes"]
    assert note.startswith("no event about vllm-abc-1 is left, which is 2 h old (events are kept")
    (note,) = cut["notes"]
    assert note.startswith("the events about vllm-abc-1 begin 2 h after it was created")


@pytest.mark.parametrize(
    ("lowest_s", "highest_s", "expected"),
    [
        (-0.5, 0.5, []),
        (60, 61, ["the API server's clock is at least 60 s ahead of this machine's"]),
        (-61, -60, ["the API server's clock is at least 60 s behind this machine's"]),
    ],
)
def test_a_clock_that_is_off_is_noted(
    lowest_s: float, highest_s: float, expected: list[str]
) -> None:
    """With the bounds in nanoseconds for whoever calculates."""
    skew = Skew(lowest_ns=int(lowest_s * NS_PER_S), highest_ns=int(highest_s * NS_PER_S))

    document, _ = captured(cluster(clock_difference=skew))

    assert expected == document["notes"]
    assert int(lowest_s * NS_PER_S) == document["clock_difference_ns"]["lowest"]


def test_whatever_is_refused_is_said_and_the_rest_is_there() -> None:
    """Each with what follows from it and the rule that would allow it."""
    refused = {
        path: No(status=403, verb=verb, resource=resource)
        for path, verb, resource in (
            ("demo/replicasets", "list", "replicasets"),
            ("demo/events", "list", "events"),
            ("demo/events.events.k8s.io", "list", "events.events.k8s.io"),
            ("nodes/node-1", "get", "nodes"),
            ("nodeclaims.karpenter.sh", "list", "nodeclaims.karpenter.sh"),
        )
    }
    log = No(status=403, verb="get", resource="pods/log")
    fake = cluster(answers=refused, logs={"vllm-abc-1/server": log})

    document, memory = captured(fake)

    assert [*(no.resource for no in refused.values()), "pods/log"] == [
        one["resource"] for one in document["not_allowed"]
    ]
    assert all(one["consequence"] and one["allow"] for one in document["not_allowed"])
    # Without the ReplicaSets the label selector has to do.
    assert ["vllm-abc-1", "stranger"] == document["pods"]
    assert {"pods.json", "deployment.json", "bundle.json"} == set(memory.documents)


@pytest.mark.parametrize(
    ("status", "logs", "expected"),
    [
        (
            {"containerID": "", "state": {"waiting": {"reason": "ContainerCreating"}}},
            {},
            "server in vllm-abc-1 has not started: it has no log",
        ),
        (
            {"restartCount": 1},
            {"vllm-abc-1/server previous": No(status=400, words="x not found")},
            "no previous log of server in vllm-abc-1: the node keeps only the last one",
        ),
        ({}, {"vllm-abc-1/server": Lines(lines=[])}, "no log of server in vllm-abc-1: it is empty"),
        (
            {},
            {"vllm-abc-1/server": Lines(lines=[b"2026-11-29T20:30:00.0Z x\n"])},
            "the log of server in vllm-abc-1 begins 29 min after its container started",
        ),
        (
            {},
            {"vllm-abc-1/server": Lines(lines=[b"x\n"], problem="the connection broke")},
            "the log of server in vllm-abc-1 ends after 1 lines: the connection broke",
        ),
        ({}, {"vllm-abc-1/server": No(status=404)}, "the pod was gone before it could be read"),
        ({}, {"vllm-abc-1/server": No(status=500, words="dial tcp")}, "no log of server"),
    ],
)
def test_what_is_missing_of_a_log_is_noted(
    status: Object, logs: dict[str, Lines | No], expected: str
) -> None:
    """One sentence each."""
    fake = cluster(answers={"demo/pods": {"items": [a_pod(**status)]}}, logs=logs)

    document, _ = captured(fake)

    (note,) = document["notes"]
    assert expected in note


@pytest.mark.parametrize(
    ("answers", "error", "words"),
    [
        ({"demo/deployments/vllm": No(status=404)}, BadInput, "there is no namespace demo"),
        (
            {"demo/deployments/vllm": No(status=403, resource="deployments")},
            OutsideFailed,
            "may not be read",
        ),
        ({"demo/deployments/vllm": No(status=400)}, OutsideFailed, "cannot be read"),
        (
            {"demo/pods": No(status=403, resource="pods", verb="list")},
            OutsideFailed,
            "the pods of namespace demo may not be read",
        ),
        (
            {"demo/pods": {"items": []}},
            NothingFound,
            "deployment/vllm in namespace demo has no pod",
        ),
    ],
)
def test_without_a_pod_there_is_no_bundle(
    answers: dict[str, Object | No], error: type[Exception], words: str
) -> None:
    """Nothing is written, and one sentence says why."""
    memory = Memory()
    order = Order(target=parsed_target("deploy/vllm"), captured_at_ns=0, version="1")

    with pytest.raises(error, match=words):
        capture(order, cluster=cluster(answers=answers), new_bundle=memory, progress=lambda _: None)

    assert {} == memory.documents


def test_a_deployment_that_is_scaled_to_nothing_says_so() -> None:
    """The remedy is another one."""
    idle = {**DEPLOYMENT, "spec": {"replicas": 0, "selector": {}}}
    answers: dict[str, Object | No] = {"demo/deployments/vllm": idle, "demo/pods": {"items": []}}

    with pytest.raises(NothingFound) as raised:
        captured(cluster(answers=answers))

    assert "kubectl scale deployment/vllm --replicas 1" in raised.value.remedy
