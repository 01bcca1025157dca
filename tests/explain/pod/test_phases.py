"""The phases before and after the engine, from a pod's objects."""

import pytest

from firstlight.core.units import NS_PER_S
from firstlight.readers.bundle import BundleNotes
from tests.explain.pod.cluster import (
    DAY,
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
    whole_claim,
)

LOG = "logs/vllm-0/vllm.log"
ENGINE = engine_log(20.5, load=25, weights=31, ready=37, up=40.5)


def test_every_second_from_creation_to_ready_has_its_phase() -> None:
    """One pull, one initContainer, the engine, the probe: they touch and add up."""
    start = one(
        pod(created=0, scheduled=1, started=20, ready=43, init=[("fetch", 4, 9)]),
        scheduled(1.25),
        arrival(2, 3.5, 3.75, 4, container="fetch", init=True),
        arrival(10, 19, 19.5, 20, container="vllm"),
        logs={LOG: ENGINE},
    )

    assert lengths(start) == {
        "scheduling": 1.25,
        "container_setup": 0.75 + 0.5 + 1 + 1,
        "image_pull": 1.5 + 9,
        "init_containers": 5,
        "process_init": 5,
        "weight_load": 6,
        "engine_init": 6,
        "api_start": 3.5,
        "readiness_lag": 2.5,
    }
    assert start.total is not None
    assert 43 == start.total.timeline.length_ns / 1e9
    assert ["pod_created", "pod_ready"] == [start.total.starts_at, start.total.ends_at]


def test_a_phase_that_comes_back_is_one_phase_of_several_stretches() -> None:
    """Each image is pulled right before its container starts."""
    start = one(
        pod(started=20, ready=43, init=[("fetch", 4, 9)]),
        scheduled(1),
        arrival(2, 3.5, 3.75, 4, container="fetch", init=True),
        arrival(10, 19, 19.5, 20),
        logs={LOG: ENGINE},
    )

    (pull,) = (span for span in start.phases if span.name == "image_pull")
    assert 2 == len(pull.stretches)
    assert {"fetch: fetch:1": 1.5, "vllm: vllm/vllm-openai:v0.26.0": 9.0} == parts(
        start, "image_pull"
    )


def test_a_slow_init_container_delays_the_big_pull_and_is_told_so() -> None:
    """The kubelet pulls the engine's image only after the last initContainer has ended."""
    start = one(
        pod(started=30, init=[("restore", 4, 14)]),
        scheduled(1),
        arrival(2, 3.5, 3.75, 4, container="restore", init=True),
        arrival(15, 29, 29.5, 30),
    )

    (finding,) = (f for f in start.findings if f.code == "pull-waits-for-init")
    assert "restore, 10.0 s" in finding.what


def test_an_image_that_lay_there_is_no_pull() -> None:
    """Only the event proves it: the time before it is set-up."""
    start = one(pod(started=3), scheduled(1), arrival(None, 2, 2.5, 3))

    assert {"scheduling": 1.0, "container_setup": 2.0} == lengths(start)
    assert start.placement is not None
    assert "already present" == start.placement.image_state


def test_without_events_nobody_knows_whether_there_was_a_pull() -> None:
    """After an hour the cluster has forgotten them: the time is unexplained, and that is said."""
    start = one(
        pod(started=20, ready=43, conditions=[]),
        logs={LOG: ENGINE},
    )

    assert 19.0 == lengths(start)["unexplained"]
    assert "no-pod-events" in codes(start)


def test_the_pull_queue_is_a_part_of_the_pull() -> None:
    """The kubelet pulls one image at a time and says how long this one waited."""
    start = one(
        pod(started=20),
        scheduled(1),
        arrival(
            2,
            12,
            12.5,
            13,
            message='Successfully pulled image "i:1" in 6s (10s including waiting). '
            "Image size: 8900000000 bytes.",
        ),
    )

    (pull,) = (span for span in start.phases if span.name == "image_pull")
    (whole,) = pull.children
    queued = {c.name: c.length_ns / 1e9 for c in whole.children}
    assert {"waiting in the kubelet's pull queue": 4.0, "itself": 6.0} == queued
    assert ["8900000000"] == [fact.printed for fact in start.facts["image_bytes"]]
    assert [6.0] == [transfer.seconds for transfer in start.transfers]


def test_a_volume_that_attaches_is_named() -> None:
    """Between the binding and the first container."""
    attached = event(
        5, "SuccessfulAttachVolume", "AttachVolume.Attach succeeded", by="attachdetach-controller"
    )
    start = one(pod(started=12), scheduled(1), attached, arrival(8, 10, 11, 12))

    assert {
        "attach volume": 4.0,
        "volumes, network and sandbox": 3.0,
        "create container vllm": 1.0,
        "start container vllm": 1.0,
    } == parts(start, "container_setup")


def test_a_node_made_for_the_pod_is_split_into_its_parts() -> None:
    """And what the pod waited before and after it is scheduling."""
    start = one(
        pod(created=0, scheduled=60, started=70),
        scheduled(60),
        event(0.5, "FailedScheduling", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
              by="default-scheduler"),
        whole_claim(2, 4, 30, 55),
        node(30, 40),
        arrival(62, 68, 69, 70),
    )  # fmt: skip

    assert [53.0, 7.0] == [lengths(start)[p] for p in ("node_provisioning", "scheduling")]
    assert {"launched": 2, "registered": 26, "ready": 10, "initialized": 15} == parts(
        start, "node_provisioning"
    )
    assert {
        "scheduler": 0.5,
        "unschedulable: Insufficient nvidia.com/gpu": 1.5,
        "node there, pod not yet bound": 5.0,
    } == parts(start, "scheduling")
    assert "cold" == start.scenario


def test_a_node_that_was_there_before_was_not_made_for_the_pod() -> None:
    """A restart on the same node is no cold start."""
    start = one(
        pod(created=1000, scheduled=1001, started=1003),
        scheduled(1001),
        whole_claim(2, 4, 30, 55),
        node(30, 40),
        arrival(None, 1002, 1002.5, 1003),
    )

    assert "node_provisioning" not in lengths(start)
    assert start.scenario is None


def test_another_autoscalers_node_is_told_by_its_node_object() -> None:
    """It leaves an event on the pod; the Node says when it registered and was Ready."""
    start = one(
        pod(created=0, scheduled=60, started=70),
        scheduled(60),
        event(3, "TriggeredScaleUp", "pod triggered scale-up", by="cluster-autoscaler"),
        node(40, 52),
        arrival(62, 68, 69, 70),
    )

    assert 49.0 == lengths(start)["node_provisioning"]
    assert {"registered": 37.0, "ready": 12.0} == parts(start, "node_provisioning")


def test_waiting_for_a_node_that_no_object_tells_of_stays_scheduling() -> None:
    """Pod events alone cannot split it, and that is said."""
    start = one(
        pod(created=0, scheduled=167, started=170),
        scheduled(167),
        event(0, "Nominated", "Pod should schedule on: nodeclaim/gpu-c3ptx", by="karpenter"),
        arrival(None, 168, 169, 170),
    )

    assert 167.0 == lengths(start)["scheduling"]
    assert "node-phase-not-split" in codes(start)


@pytest.mark.parametrize(("period_s", "uncertainty_s"), [(10, 10.0), (1, 3.0)])
def test_a_total_is_known_no_better_than_the_probe_asks(
    period_s: int, uncertainty_s: float
) -> None:
    """Nor than its two stamps of whole seconds, by two clocks that may be a second apart."""
    probe = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": period_s}
    start = one(
        pod(started=20, ready=43, container={"readinessProbe": probe}),
        arrival(10, 19, 19.5, 20),
        logs={LOG: ENGINE},
    )

    assert start.total is not None
    assert uncertainty_s == start.total.uncertainty_ns / 1e9


def test_the_probes_lag_is_a_number_with_a_better_setting() -> None:
    """From what this start needed: twice as long, asked every second."""
    probe = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 10}
    start = one(
        pod(started=20, ready=47, container={"readinessProbe": probe}),
        arrival(10, 19, 19.5, 20),
        logs={LOG: ENGINE},
    )

    assert {"until the probe asks again (every 10 s)": 6.5} == parts(start, "readiness_lag")
    assert start.placement is not None
    assert 6_500_000_000 == start.placement.readiness_lag_ns
    assert start.placement.probe is not None
    assert [1, 41] == [start.placement.probe.period_s, start.placement.probe.failure_threshold]
    (finding,) = (f for f in start.findings if f.code == "coarse-probe")
    assert "6.5 s after the server was up" in finding.what


def test_a_pod_without_its_log_is_unexplained_inside_the_engine() -> None:
    """What stands around the stretch is quoted, and what to add is said."""
    start = one(pod(started=3, ready=43), scheduled(1), arrival(None, 2, 2.5, 3))

    assert 40.0 == lengths(start)["unexplained"]
    assert "no-engine-log" in codes(start)
    (stretch,) = start.unexplained
    assert "Started" in stretch.before.text
    assert "Ready=True" in stretch.after.text


def test_a_runtimes_snapshot_takes_the_place_of_the_engines_start() -> None:
    """GKE restores a process and says so."""
    restored = event(11, "GKEPodSnapshotting", "Successfully restored the pod from PodSnapshot x/y")
    start = one(pod(started=3), scheduled(1), arrival(None, 2, 2.5, 3), restored)

    assert {"restored from a snapshot": 8.0} == parts(start, "process_init")


def test_a_pod_that_goes_is_not_told_beside_the_one_that_came() -> None:
    """A lost node never finishes the deletion of its pods; a bundle holds both."""
    gone = pod(name="vllm-old", created=0, scheduled=1, started=3, ready=20)
    gone["metadata"] |= {"deletionTimestamp": stamp(530), "deletionGracePeriodSeconds": 30}

    start = one(gone, pod(created=501, scheduled=502, started=504, ready=530))

    assert "demo/vllm-0 [vllm]" == start.source
    assert "demo/vllm-old [vllm]" == one(gone).source


def captured(at_s: float) -> dict[str, BundleNotes]:
    return {"notes": BundleNotes(captured_ns=DAY * NS_PER_S + round(at_s * NS_PER_S))}


def test_a_start_under_way_is_told_up_to_the_capture() -> None:
    """What it does now, and for how long."""
    lines = ENGINE.splitlines(keepends=True)[:3]
    start = one(
        pod(started=20),
        scheduled(1),
        arrival(10, 19, 19.5, 20),
        logs={LOG: "".join(lines)},
        **captured(90),
    )

    assert ["engine_init", 90.0] == [start.unfinished, (start.seen_ns or 0) / 1e9]
    assert 59.0 == lengths(start)["engine_init"]


def test_a_pull_under_way_is_told_up_to_the_capture() -> None:
    """And named: nothing of it is unexplained."""
    start = one(
        pod(started=None),
        scheduled(1),
        event(3, "Pulling", "Pulling image", container="vllm"),
        **captured(63),
    )

    assert {"vllm: vllm/vllm-openai:v0.26.0 (not finished)": 60.0} == parts(start, "image_pull")
    assert [] == list(start.unexplained)


def test_a_node_under_way_is_told_up_to_the_capture() -> None:
    """Launched, and not registered yet: that is what the pod waits for."""
    start = one(
        pod(created=0, scheduled=None, started=None),
        event(0.5, "FailedScheduling", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
              by="default-scheduler"),
        claim(2, [condition("Launched", 4)], node=""),
        **captured(34),
    )  # fmt: skip

    assert {"launched": 2.0, "registered (not yet)": 30.0} == parts(start, "node_provisioning")
