"""Why a pod is not Ready: what only the cluster knows, joined with what the engine said last."""

import pytest

from firstlight.core.starts import Outcome
from tests.explain.pod.cluster import (
    arrival,
    claim,
    codes,
    condition,
    engine_log,
    event,
    lengths,
    one,
    parts,
    pod,
    scheduled,
    stamp,
    told,
    whole_claim,
)

LOG = "logs/vllm-0/vllm.log"
BROKEN = engine_log(4, load=8, weights=9, ready=10, up=11).splitlines(keepends=True)[0]


def ended(exit_code: int, reason: str, begin: float, end: float) -> dict[str, object]:
    return {
        "terminated": {
            "exitCode": exit_code,
            "reason": reason,
            "startedAt": stamp(begin),
            "finishedAt": stamp(end),
        }
    }


def test_memory_that_ran_out_is_joined_with_the_last_line_of_the_log() -> None:
    """The engine cannot say it itself: the kernel killed it in the middle of a word."""
    log = BROKEN + f"{stamp(8, 9)} Loading safetensors checkpoint shards:  8% Completed\n"
    start = one(
        pod(
            started=None,
            state={"state": ended(137, "OOMKilled", 3, 9)},
            container={"resources": {"limits": {"memory": "24Gi"}}},
        ),
        scheduled(1),
        arrival(None, 2, 2.5, 3),
        logs={LOG: log},
    )

    assert Outcome.FAILED is start.outcome
    assert start.failure is not None
    assert "oom_killed" == start.failure.kind
    assert "exit code 137, its memory limit is 24Gi" in start.failure.message
    assert "8% Completed" in start.failure.message


def test_a_cause_in_the_log_goes_before_the_exit_code() -> None:
    """That the process ended is only its consequence."""
    log = BROKEN + f"{stamp(8, 9)} (APIServer pid=1) OSError: [Errno 28] No space left on device\n"
    start = one(
        pod(started=None, state={"state": ended(1, "Error", 3, 9)}),
        arrival(None, 2, 2.5, 3),
        logs={LOG: log},
    )

    assert start.failure is not None
    assert "No space left on device" in start.failure.message


def test_an_exit_without_a_word_is_told_by_its_code() -> None:
    """Nobody said why; the code and the last line are what is known."""
    start = one(
        pod(started=None, state={"state": ended(2, "Error", 3, 9)}),
        arrival(None, 2, 2.5, 3),
        logs={LOG: BROKEN},
    )

    assert start.failure is not None
    assert start.failure.message.startswith("container vllm ended with exit code 2; its last line")


def test_a_restarted_container_is_two_starts() -> None:
    """The one that was killed, from the pod's creation; the one that came, from that end on."""
    first, second = told(
        pod(
            created=0,
            scheduled=1,
            started=30,
            ready=60,
            state={"restartCount": 1, "lastState": ended(137, "OOMKilled", 3, 20)},
        ),
        scheduled(1),
        arrival(None, 2, 2.5, 3),
        logs={
            "logs/vllm-0/vllm.previous.log": BROKEN,
            LOG: engine_log(31, load=35, weights=40, ready=45, up=58),
        },
    )

    assert [Outcome.FAILED, Outcome.READY] == [first.outcome, second.outcome]
    assert first.failure is not None
    assert "oom_killed" == first.failure.kind
    assert second.total is not None
    assert ["container_ended", 40.0] == [
        second.total.starts_at,
        second.total.timeline.length_ns / 1e9,
    ]
    assert 10.0 == lengths(second)["container_setup"]
    assert "container-restarted" in codes(second)


def test_logs_without_paths_find_their_run_by_the_time() -> None:
    """Somebody saved both with names of their own."""
    first, second = told(
        pod(started=30, ready=60, state={"restartCount": 1, "lastState": ended(1, "Error", 3, 20)}),
        logs={
            "b.txt": engine_log(31, load=35, weights=40, ready=45, up=58),
            "a.txt": BROKEN,
        },
    )

    assert first.failure is not None
    assert "exit code 1" in first.failure.message
    assert 5.0 == lengths(second)["weight_load"]


def test_a_probe_that_lost_patience_is_the_cause_of_the_kill() -> None:
    """An exit code of 137 alone would look like memory."""
    start = one(
        pod(started=None, state={"state": ended(137, "Error", 3, 33)}),
        arrival(None, 2, 2.5, 3),
        event(32, "Killing", "Container vllm failed liveness probe, will be restarted",
              container="vllm"),
    )  # fmt: skip

    assert start.failure is not None
    assert "killed_by_probe" == start.failure.kind


def test_a_liveness_probe_shorter_than_the_start_is_found() -> None:
    """It did not kill this one; it will kill one that is a little slower."""
    probe = {"httpGet": {"path": "/health", "port": 8000}, "initialDelaySeconds": 5}
    start = one(
        pod(started=3, ready=60, container={"livenessProbe": probe}),
        arrival(None, 2, 2.5, 3),
        logs={LOG: engine_log(4, load=20, weights=30, ready=40, up=58)},
    )

    assert "liveness-shorter-than-start" in codes(start)


def test_an_image_that_cannot_be_had() -> None:
    """The registry's own words, from the event; the phase it hangs in."""
    start = one(
        pod(
            started=None,
            state={
                "state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling"}}
            },
        ),
        scheduled(1),
        event(2, "Pulling", "Pulling image", container="vllm"),
        event(4, "Failed", 'Failed to pull image "vllm:typo": not found', container="vllm"),
        event(9, "BackOff", "Back-off pulling image", container="vllm"),
    )

    assert start.failure is not None
    assert "image_not_pulled" == start.failure.kind
    assert "not found" in start.failure.message
    assert ["image_pull", 7.0] == [start.unfinished, lengths(start)["image_pull"]]


def test_a_command_that_does_not_exist() -> None:
    """Out of a page of runtime words, the name of what is missing."""
    words = (
        'failed to create shim task: unable to start container process: exec: "vlm": '
        "executable file not found in $PATH"
    )
    start = one(
        pod(started=None), scheduled(1), event(4, "Failed", words, container="vllm", count=4)
    )

    assert start.failure is not None
    assert (
        "the container's command cannot be run: vlm: executable file not found in $PATH"
        == start.failure.message
    )


def test_a_pod_bound_to_a_gpu_that_was_not_there_yet() -> None:
    """The device plugin had not registered when the kubelet took the pod in."""
    start = one(
        pod(
            started=None,
            status={"phase": "Failed", "reason": "OutOfnvidia.com/gpu", "message": "Pod was"},
        )
    )

    assert start.failure is not None
    assert "did not have what it asks for" in start.failure.message


def test_a_foreign_controllers_own_word_for_stuck() -> None:
    """Launchers of others raise warnings of their own kinds."""
    start = one(
        pod(started=3), event(9, "LauncherStuck", "Launcher is stuck (starting)", type="Warning")
    )

    assert start.failure is not None
    assert "LauncherStuck: Launcher is stuck (starting)" == start.failure.message


def test_a_pod_that_no_node_takes() -> None:
    """The scheduler's last words."""
    start = one(
        pod(scheduled=None, started=None),
        event(0, "FailedScheduling", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
              by="default-scheduler"),
        event(90, "FailedScheduling", "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",
              by="default-scheduler"),
    )  # fmt: skip

    assert Outcome.INCOMPLETE is start.outcome
    (finding,) = (f for f in start.findings if f.code == "waits-for-a-node")
    assert "0/4 nodes" in finding.what
    assert ["scheduling", 90_000_000_000] == [start.unfinished, start.seen_ns]
    assert {"unschedulable: Insufficient nvidia.com/gpu": 90.0} == parts(start, "scheduling")


def test_a_node_that_is_never_initialised_is_told_by_the_scheduler() -> None:
    """Its driver does not start: the pod would fit, on a node that never comes."""
    words = "Failed to schedule pod, would schedule against uninitialized nodeclaim/gpu-abc12"
    start = one(
        pod(scheduled=None, started=None), event(5, "FailedScheduling", words, by="karpenter")
    )

    assert start.failure is not None
    assert "node_not_initialized" == start.failure.kind


def unknown(type_: str, reason: str) -> dict[str, object]:
    return condition(type_, 0, "Unknown", reason=reason, message="")


def test_a_machine_that_never_joined() -> None:
    """Launched is done, Registered says what is missing."""
    start = one(
        claim(0, [condition("Launched", 2), unknown("Registered", "NodeNotFound")], node="")
    )

    assert start.failure is not None
    assert "node_never_registered" == start.failure.kind
    assert "nodeclaim/gpu-abc12: its machine was launched and never joined" in start.failure.message
    assert 2.0 == lengths(start)["node_provisioning"]


def test_a_condition_that_is_false_completes_nothing() -> None:
    """Its stamp says when it became false, not when the node was initialised."""
    start = one(
        claim(
            0,
            [
                condition("Launched", 2),
                condition("Registered", 23),
                condition("Initialized", 33, "False", reason="KnownEphemeralTaintsExist"),
            ],
        )
    )

    assert 23.0 == lengths(start)["node_provisioning"]
    assert Outcome.INCOMPLETE is start.outcome
    assert "node-not-there-yet" in codes(start)


def test_a_node_that_took_an_hour_to_be_initialised() -> None:
    """It came, and that is no excuse."""
    start = one(whole_claim(0, 2, 30, 3090))

    assert start.failure is not None
    assert "node_stuck_uninitialized" == start.failure.kind
    assert "3060 s" in start.failure.message


@pytest.mark.parametrize(
    "conditions",
    [
        # The kubelet's newer condition moved behind the container's start.
        [condition("PodReadyToStartContainers", 1800)],
        # Nothing is known of the container, but Ready came in the same second.
        [condition("PodReadyToStartContainers", 1859.5)],
    ],
)
def test_a_sandbox_that_was_made_again_gives_no_total(conditions: list[dict[str, object]]) -> None:
    """A reboot moved the conditions: 31 minutes would be a wrong number, and none is better."""
    start = one(pod(started=3, ready=1860, conditions=conditions), arrival(None, 2, 2.5, 3))

    assert start.total is None
    assert "sandbox-recreated" in codes(start)


def test_a_pod_that_serves_and_is_not_ready() -> None:
    """Its server is up by its own log, and its probe asks for something else."""
    start = one(
        pod(started=3),
        arrival(None, 2, 2.5, 3),
        event(60, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 404",
              container="vllm"),
        logs={LOG: engine_log(4, load=8, weights=9, ready=10, up=11)},
    )  # fmt: skip

    assert Outcome.INCOMPLETE is start.outcome
    assert "serves-and-is-not-ready" in codes(start)


def test_a_node_whose_steps_all_lie_in_one_second() -> None:
    """A cloud of a test, or a claim that took over a machine that ran: it took no time."""
    start = one(whole_claim(5, 5, 5, 5))

    assert {} == lengths(start)
