"""From a name to a bundle, whatever the cluster gives and refuses."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.capture.collect import Order, capture
from firstlight.capture.targets import parsed_target
from firstlight.core.errors import BadInput, NothingFound, OutsideFailed
from firstlight.core.units import NS_PER_S
from tests.capture.fake_cluster import FakeCluster, Lines, Memory, No, Skew
from tests.capture.planted import TEXTS

Object = dict[str, Any]
LABELS = {"app": "vllm", "tier": "a"}
CREATED = "2026-11-29T20:00:00Z"
CREATED_NS = 1_795_982_400 * NS_PER_S
STARTED = "2026-11-29T20:00:10Z"


def a_pod(name: str = "vllm-abc-1", **status: Any) -> Object:
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "labels": LABELS,
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
        "kind": "Event",
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
        "labels": LABELS,
        "ownerReferences": [{"kind": "Deployment", "name": "vllm", "uid": "uid-d"}],
    },
}
STRANGER = {
    "kind": "Pod",
    "metadata": {"name": "stranger", "uid": "s", "labels": LABELS},
    "spec": {"containers": [{"name": "c"}]},
}
NODE = {"kind": "Node", "metadata": {"name": "node-1"}}
NAMESPACE = {"kind": "Namespace", "metadata": {"name": "demo"}}
PULLED = about("vllm-abc-1", "2026-11-29T20:00:01Z")


def cluster(
    *more: Object,
    deployment: Object = DEPLOYMENT,
    pods: Iterable[Object] | None = None,
    events: Iterable[Object] = (PULLED,),
    logs: Mapping[str, Lines | No] | None = None,
    refused: Mapping[tuple[str, str], No] | None = None,
    clock_difference: Skew | None = None,
) -> FakeCluster:
    """A Deployment with one pod and a log."""
    pods = (a_pod(), STRANGER) if pods is None else pods
    log = {"vllm-abc-1/server": Lines(lines=[b"2026-11-29T20:00:12.0Z ready\n"])}
    return FakeCluster(
        objects=[NAMESPACE, NODE, deployment, REPLICA_SET, *pods, *events, *more],
        logs={**log, "stranger/c": Lines(lines=[b"x\n"]), **(logs or {})},
        refused=refused or {},
        clock_difference=clock_difference,
    )


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
    document, memory = captured(cluster())

    assert ["vllm-abc-1"] == document["pods"]
    assert ["logs/vllm-abc-1/server.log"] == list(memory.logs)
    assert [] == document["notes"] == document["not_allowed"]
    assert document == memory.documents["bundle.json"]
    assert set(document["files"]) == {*memory.documents, *memory.logs} - {"bundle.json"}


def test_a_pod_brings_its_owners() -> None:
    """Up to the Deployment."""
    _, memory = captured(cluster(), "po/vllm-abc-1")

    assert "vllm" == memory.documents["deployment.json"]["metadata"]["name"]
    assert 1 == len(memory.documents["replicasets.json"]["items"])


def test_only_the_claims_that_belong_to_it() -> None:
    """Of the pod's node, or named by an event about the pod."""

    def claim(name: str, node: str) -> Object:
        return {
            "apiVersion": "karpenter.sh/v1",
            "kind": "NodeClaim",
            "metadata": {"name": name},
            "status": {"nodeName": node},
        }

    claims = [claim("claim-1", "node-1"), claim("claim-7", ""), claim("claim-9", "node-9")]
    _, memory = captured(cluster(*claims))

    names = [one["metadata"]["name"] for one in memory.documents["nodeclaims.json"]["items"]]
    assert ["claim-1", "claim-7"] == names


def test_events_about_an_earlier_pod_are_kept_and_about_strangers_not() -> None:
    """A warm start replaces a pod; its end is part of the story."""
    told = [about("vllm-abc-0", CREATED), about("vllm-abcd-1", CREATED), about("other", CREATED)]
    _, memory = captured(cluster(events=told))

    names = [e["involvedObject"]["name"] for e in memory.documents["events.json"]["items"]]
    assert ["vllm-abc-0"] == names


def test_expired_events_are_noted() -> None:
    """They live for an hour; a pod that is older has lost those of its start."""
    late = about("vllm-abc-1", "2026-11-29T22:00:00Z")

    fresh, _ = captured(cluster(events=[]), after_s=60)
    gone, _ = captured(cluster(events=[]), after_s=7200)
    cut, _ = captured(cluster(events=[late]), after_s=7300)
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
    refused = (
        ("list", "replicasets"),
        ("list", "events"),
        ("list", "events.events.k8s.io"),
        ("get", "nodes"),
        ("list", "nodeclaims.karpenter.sh"),
        ("get", "pods/log"),
    )
    fake = cluster(refused={what: No(status=403) for what in refused})

    document, memory = captured(fake)

    assert [*refused] == [(one["verb"], one["resource"]) for one in document["not_allowed"]]
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
            {"vllm-abc-1/server": Lines(lines=[b"2026-11-29T21:30:00+01:00 x\n"])},
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
    document, _ = captured(cluster(pods=[a_pod(**status)], logs=logs))

    (note,) = document["notes"]
    assert expected in note


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-11-29T20:00:12Z",
        "2026-11-29T20:02:10.000000000Z",
        "2026-11-29T21:00:12.123456789+01:00",
        "2026-11-29T13:00:12-07:00",
        "2026-11-30T01:45:12.5+05:45",
    ],
)
def test_a_log_that_begins_with_its_container_is_whole(stamp: str) -> None:
    """Whatever zone the node writes its stamps in."""
    line = f"{stamp} INFO\n".encode()
    fake = cluster(logs={"vllm-abc-1/server": Lines(lines=[line])})

    document, _ = captured(fake)

    assert [] == document["notes"]
    assert [True] == [log["complete"] for log in document["logs"]]


@pytest.mark.parametrize(
    ("fake", "error", "words"),
    [
        (FakeCluster(), BadInput, "there is no namespace demo"),
        (FakeCluster(objects=[NAMESPACE]), BadInput, "there is no deployment/vllm in namespace"),
        (
            cluster(refused={("get", "deployments"): No(status=403)}),
            OutsideFailed,
            "may not be read",
        ),
        (
            cluster(refused={("get", "deployments"): No(status=400)}),
            OutsideFailed,
            "cannot be read",
        ),
        (
            cluster(refused={("list", "pods"): No(status=403)}),
            OutsideFailed,
            "the pods of namespace demo may not be read",
        ),
        (cluster(pods=[]), NothingFound, "deployment/vllm in namespace demo has no pod"),
    ],
)
def test_without_a_pod_there_is_no_bundle(
    fake: FakeCluster, error: type[Exception], words: str
) -> None:
    """Nothing is written, and one sentence says why."""
    memory = Memory()
    order = Order(target=parsed_target("deploy/vllm"), captured_at_ns=0, version="1")

    with pytest.raises(error, match=words):
        capture(order, cluster=fake, new_bundle=memory, progress=lambda _: None)

    assert {} == memory.documents


@pytest.mark.parametrize(
    ("others", "hint"),
    [
        ([], "there is no deployment at all; check --namespace and --context"),
        (["qwen", "gemma"], "there are gemma, qwen"),
        (["vllm-a", "qwen"], "did you mean deployment/vllm-a?"),
        (["vllm-a", "other/vllm"], "it is in namespace other: give that as --namespace"),
    ],
)
def test_a_name_that_is_not_there_is_told_from_those_that_are(others: list[str], hint: str) -> None:
    """The same name elsewhere is the likeliest; then one that is spelled alike."""
    parted = [name.rpartition("/") for name in others]
    there = [
        {"kind": "Deployment", "metadata": {"name": name, "namespace": namespace or "demo"}}
        for namespace, _, name in parted
    ]

    with pytest.raises(BadInput) as raised:
        captured(FakeCluster(objects=[NAMESPACE, *there]))

    assert hint == raised.value.remedy


def test_a_deployment_that_is_scaled_to_nothing_says_so() -> None:
    """The remedy is another one."""
    idle = {**DEPLOYMENT, "spec": {"replicas": 0, "selector": {}}}

    with pytest.raises(NothingFound) as raised:
        captured(cluster(deployment=idle, pods=[]))

    assert "kubectl scale deployment/vllm --replicas 1" in raised.value.remedy


_KINDS = sorted(set(TEXTS) - {"private key"})


@given(
    said=st.lists(st.sampled_from(_KINDS), min_size=1, max_size=4, unique=True),
    variable=st.sampled_from(["HF_TOKEN", "VLLM_MY_KEY", "OF_OURS", "CUDA_PASSPHRASES"]),
    value=st.text("abcxyz0189-_.%=&!", min_size=12, max_size=20),
)
def test_no_planted_secret_survives_in_a_bundle(said: list[str], variable: str, value: str) -> None:
    """Whatever kind, in a log, in an event and in a spec, and what a variable held in all."""
    pod = a_pod()
    container = {"name": "server", "env": [{"name": variable, "value": value}]}
    pod["spec"] |= {"containers": [container], "nodeName": f"node-{value}"}
    pod["spec"]["volumes"] = [{"csi": {"volumeAttributes": {"password": value[::-1]}}}]
    texts = [*(TEXTS[kind][0] for kind in said), f"got {value}, {value[::-1]}"]
    pod["metadata"]["annotations"] = {"note": " and ".join(texts)}
    event = PULLED | {"message": "; ".join(texts), "reason": texts[0]}
    log = [f"2026-11-29T20:00:12.0Z {text}\n".encode() for text in texts]

    _, memory = captured(
        cluster(pods=[pod], events=[event], logs={"vllm-abc-1/server": Lines(lines=log)})
    )

    whole = json.dumps(memory.documents, ensure_ascii=False) + repr(memory.logs)
    planted = {value, value[::-1], *(secret for kind in said for secret in TEXTS[kind][1])}
    assert [] == [secret for secret in planted if secret in whole]
