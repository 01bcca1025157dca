"""What looks like a proof and is none: each would be a wrong number, and none is better."""

from typing import Any

import pytest

from firstlight.core.starts import Outcome
from tests.explain.pod.cluster import (
    Object,
    arrival,
    claim,
    codes,
    condition,
    engine_log,
    event,
    lengths,
    node,
    one,
    parts,
    pod,
    scheduled,
    stamp,
    told,
    whole_claim,
)

LOG = "logs/vllm-0/vllm.log"
ENGINE = engine_log(22, load=30, weights=40, ready=55, up=60)
EVENTS = [scheduled(1.2), *arrival(3, 18, 19, 20)]
PROBE = {"readinessProbe": {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 2}}


def ready_pod(ready: float = 62, **fields: Any) -> Object:
    fields.setdefault("container", PROBE)
    return pod(started=20, ready=ready, **fields)


def test_a_readiness_that_was_lost_and_came_back_ends_no_start() -> None:
    """Two days later the stamp tells of that day; the server's line still ends the start."""
    start = one(ready_pod(ready=172_800), EVENTS, logs={LOG: ENGINE})

    assert start.total is not None
    assert [60.0, "server_line"] == [start.total.timeline.length_ns / 1e9, start.total.ends_at]
    assert "ready-does-not-fit" in codes(start)


def test_a_ready_of_the_same_second_comes_after_the_servers_line() -> None:
    """Its stamp is cut to the second: the engine's last phase is not cut with it."""
    up = engine_log(22, load=30, weights=40, ready=55, up=62.75)
    start = one(ready_pod(ready=62), EVENTS, logs={LOG: up})

    assert 7.75 == lengths(start)["api_start"]
    assert start.total is not None
    assert 62.75 == start.total.timeline.length_ns / 1e9


def test_a_readiness_gate_is_not_the_probes_fault() -> None:
    """The containers were ready long before the pod was."""
    gate = condition("ContainersReady", 62)
    start = one(ready_pod(ready=300, conditions=[gate]), EVENTS, logs={LOG: ENGINE})

    assert {
        "until the probe asks again (every 2 s)": 2.0,
        "waiting for a readiness gate": 238.0,
    } == parts(start, "readiness_lag")


def test_another_container_that_comes_later_is_not_the_probes_fault() -> None:
    """The pod is Ready when all of them are."""
    made = ready_pod(ready=300)
    made["spec"]["containers"].append({"name": "proxy", "image": "proxy:1"})
    made["status"]["containerStatuses"].append(
        {"name": "proxy", "state": {"running": {"startedAt": stamp(290)}}}
    )
    start = one(made, EVENTS, logs={LOG: ENGINE})

    assert {"waiting for container proxy": 240.0} == parts(start, "readiness_lag")


def test_an_initial_delay_is_not_the_probes_beat() -> None:
    """Asking more often would not help."""
    probe = {"readinessProbe": {"initialDelaySeconds": 300, "periodSeconds": 5, "exec": {}}}
    start = one(ready_pod(ready=321, container=probe), EVENTS, logs={LOG: ENGINE})

    assert {
        "the probe's initial delay (300 s)": 260.0,
        "until the probe asks again (every 5 s)": 1.0,
    } == parts(start, "readiness_lag")
    assert "coarse-probe" not in codes(start)


@pytest.mark.parametrize("name", ["a.txt", LOG, "vllm-0.log"])
@pytest.mark.parametrize("shift", [5000, -500])
def test_a_log_of_another_time_is_not_this_pods(name: str, shift: int) -> None:
    """Not one of its lines lies between the container's start and Ready."""
    other = engine_log(22 + shift, load=30 + shift, weights=40 + shift, ready=55 + shift,
                       up=60 + shift)  # fmt: skip
    mine, alone = told(ready_pod(), EVENTS, logs={name: other})

    assert "weight_load" not in lengths(mine)
    assert [name, 10.0] == [alone.source, lengths(alone)["weight_load"]]


def two_engines() -> Object:
    made = ready_pod()
    made["spec"]["containers"].append({"name": "decode", "image": "vllm/vllm-openai:v0.26.0"})
    return made


def test_two_engines_in_one_pod_keep_their_logs() -> None:
    """The bundle says whose each is, whatever their order."""
    decode = engine_log(40, load=50, weights=53, ready=57, up=61)
    logs = {"logs/vllm-0/decode.log": decode, "logs/vllm-0/vllm.log": ENGINE}
    mine, alone = told(two_engines(), EVENTS, logs=logs)

    assert ["demo/vllm-0 [vllm]", 10.0] == [mine.source, lengths(mine)["weight_load"]]
    assert ["logs/vllm-0/decode.log", 3.0] == [alone.source, lengths(alone)["weight_load"]]


def test_the_container_whose_log_speaks_of_vllm_is_the_engine() -> None:
    """Its image does not say so, and another container stands before it."""
    made = ready_pod()
    model = {**made["spec"]["containers"][0], "name": "model", "image": "corp/llm:7"}
    made["spec"]["containers"] = [{"name": "istio-proxy", "image": "istio/proxy"}, model]
    made["status"]["containerStatuses"][0]["name"] = "model"
    start = one(made, scheduled(1), logs={"logs/vllm-0/model.log": ENGINE})

    assert "demo/vllm-0 [model]" == start.source
    assert 10.0 == lengths(start)["weight_load"]


def test_events_of_the_pod_that_had_the_name_before_are_not_its_own() -> None:
    """A StatefulSet uses names again; a table's rows have no uid."""
    table = f"""\
TIME                   REASON      OBJECT       MESSAGE
{stamp(-600)}   Pulling     pod/vllm-0   Pulling image "i:1"
{stamp(-560)}   Pulled      pod/vllm-0   Successfully pulled image "i:1" in 40s
{stamp(-559)}   Started     pod/vllm-0   Started container vllm
{stamp(2)}   Pulled      pod/vllm-0   Container image "i:1" already present on machine
{stamp(3)}   Started     pod/vllm-0   Started container vllm
"""
    start = one(pod(started=3, ready=62), beside={"e.txt": table})

    assert "image_pull" not in lengths(start)
    assert start.placement is not None
    assert "already present" == start.placement.image_state


@pytest.mark.parametrize(
    "other",
    [
        whole_claim(2, 4, 30, 42) | {"status": {"nodeName": "node-9", "conditions": []}},
        claim(2, [condition("Launched", 4)], node=""),
    ],
)
def test_a_claim_of_another_node_is_not_this_pods_cold_start(other: Object) -> None:
    """Nominated for one, bound to another that was there."""
    nominated = event(3, "Nominated", "Pod should schedule on: nodeclaim/gpu-abc12", by="karpenter")
    start = told(
        pod(scheduled=50, started=53), scheduled(50), nominated, other, node(-9000, -8990)
    )[0]

    assert "node_provisioning" not in lengths(start)
    assert 50.0 == lengths(start)["scheduling"]
    assert start.scenario is None


def test_a_node_that_came_for_somebody_else_is_not_this_pods() -> None:
    """The pod waited for a volume; a node registered meanwhile."""
    words = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    start = one(
        pod(scheduled=50, started=53),
        scheduled(50),
        event(1, "FailedScheduling", words, by="default-scheduler"),
        node(30, 40),
    )

    assert "node_provisioning" not in lengths(start)


def test_a_pull_that_nobody_saw_end_is_unexplained() -> None:
    """The event was lost: the seconds until the container started are nobody's."""
    events = [event(3, "Pulling", "Pulling image", container="vllm"),
              event(20, "Started", "Started container vllm", container="vllm")]  # fmt: skip
    start = one(ready_pod(), scheduled(1), events, logs={LOG: ENGINE})

    assert 17.0 == lengths(start)["unexplained"]


def test_a_pull_that_nobody_saw_begin_is_told_by_its_end() -> None:
    """Its message says how long it took, the queue included."""
    words = 'Successfully pulled image "i:1" in 4s (12s including waiting)'
    events = [event(18, "Pulled", words, container="vllm"),
              event(20, "Started", "Started container vllm", container="vllm")]  # fmt: skip
    start = one(ready_pod(), scheduled(1), events, logs={LOG: ENGINE})

    assert 12.0 == lengths(start)["image_pull"]
    assert 5.0 == parts(start, "container_setup")["volumes, network and sandbox"]


def test_an_init_container_that_failed_first_shows_its_runs() -> None:
    """Back-off and the failed run are the initContainer's, not the kubelet's."""
    made = ready_pod(init=[("fetch", 80, 110)], ready=190)
    made["status"]["initContainerStatuses"][0]["restartCount"] = 1
    made["status"]["containerStatuses"][0]["state"] = {"running": {"startedAt": stamp(120)}}
    events = [*arrival(2, 3, 4, 5, container="fetch", init=True), *arrival(112, 118, 119, 120)]
    start = one(made, scheduled(1), events)

    (init,) = (span for span in start.phases if span.name == "init_containers")
    (fetch,) = init.children
    assert {"runs that failed, and back-off": 75.0, "the run that succeeded": 30.0} == {
        c.name: c.length_ns / 1e9 for c in fetch.children
    }
    assert 2.0 == parts(start, "container_setup")["the kubelet sees that fetch has ended"]


def test_a_container_in_back_off_is_one_run_whatever_logs_there_are() -> None:
    """kubectl gives the last run's log for both."""
    ended = {"terminated": {"exitCode": 1, "reason": "Error", "startedAt": stamp(20),
                            "finishedAt": stamp(50)}}  # fmt: skip
    state = {"restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
             "lastState": ended}  # fmt: skip
    broken = "".join(ENGINE.splitlines(keepends=True)[:3])
    start = one(
        pod(started=None, state=state),
        logs={LOG: broken, "logs/vllm-0/vllm.previous.log": broken},
    )

    assert Outcome.FAILED is start.outcome
    assert [10.0, 30.0] == [lengths(start)["weight_load"], (start.seen_ns or 0) / 1e9]
