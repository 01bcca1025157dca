"""
What people paste: tables, descriptions, controller logs and loose lines, as starts.

Each text is written for its trap: a cut row, a stamp of the CI in front, a False condition,
a log that ends before the node came. The readers' own tests say how each form is read;
these say what is told of it.
"""

# ruff: noqa: E501  (tables are as kubectl prints them)

import pytest

from firstlight.core.starts import Outcome, Start
from firstlight.explain.together import Together, explain_together
from firstlight.readers.kube.reading import read_cluster
from firstlight.readers.vllm_log import read_log
from tests.explain.pod.cluster import codes, lengths, parts


def told(text: str) -> list[Start]:
    """The starts in one pasted text, which may hold lines of a log too."""
    data = text.encode()
    seen, log = read_cluster("-", data), read_log("-", [data])
    return explain_together(Together(cluster=seen, logs=[log] if log.observations else []))


def one(text: str) -> Start:
    (start,) = told(text)
    return start


EVENTS_AND_LOG = """\
TIME                   REASON            MESSAGE
2026-09-20T10:00:07Z   Nominated         Pod should schedule on: nodeclaim/gpu-k9x2d
2026-09-20T10:02:37Z   Scheduled         Successfully assigned ml/vllm-0 to ip-10-0-1-9.ec2.internal
2026-09-20T10:02:39Z   Pulling           Pulling image "vllm/vllm-openai:v0.28.0"
2026-09-20T10:05:09Z   Pulled            Successfully pulled image "vllm/vllm-openai:v0.28.0" in 2m30s
2026-09-20T10:05:10Z   Created           Created container vllm
2026-09-20T10:05:11Z   Started           Started container vllm
INFO 09-20 10:06:55 [core.py:272] init engine (profile, create kv cache) took 41.50 seconds
INFO:     Application startup complete.
"""


def test_events_in_columns_of_ones_own_with_log_lines_below() -> None:
    """Nobody says what the events are about: it is the one pod. Both parts are read."""
    start = one(EVENTS_AND_LOG)

    assert "ml/vllm-0" == start.source
    assert {"scheduling": 150.0, "container_setup": 4.0, "image_pull": 150.0} == lengths(start)
    assert ["41.50"] == [fact.printed for fact in start.facts["engine_init_s"]]
    assert "node-phase-not-split" in codes(start)


CUT_COLUMNS = """\
2026-09-20T10:00:00Z   SuccessfulCreate      Created pod: vllm-86d74d98f8-q2w3e
2026-09-20T10:00:00Z   FailedScheduling      0/3 nodes are available: 3 Insufficient nvidia.com/gpu. no new cl
2026-09-20T10:00:03Z   TriggeredScaleUp      Pod triggered scale-up: [{https://www.example.com/compute/v1/proj
2026-09-20T10:01:20Z   Scheduled             Successfully assigned ml/vllm-86d74d98f8-q2w3e to gke-gpu-po
2026-09-20T10:01:22Z   Pulling               Pulling image "vllm/vllm-openai:v0.27.1"
2026-09-20T10:04:22Z   Pulled                Successfully pulled image "vllm/vllm-openai:v0.27.1" in 2m58.9s (2m59.6
2026-09-20T10:04:23Z   Created               Container created
2026-09-20T10:04:23Z   Started               Container started
2026-09-20T10:06:00Z   Unhealthy             Readiness probe failed: Get "http://192.0.2.7:8000/health": dial
"""


def test_messages_cut_by_their_column_are_read_as_far_as_they_are_whole() -> None:
    """Half a duration is none: the stamps tell the pull."""
    start = one(CUT_COLUMNS)

    assert [80.0, 180.0] == [lengths(start)[p] for p in ("scheduling", "image_pull")]
    assert parts(start, "scheduling") == {
        "unschedulable: Insufficient nvidia.com/gpu": 3.0,
        "waiting for a new node": 77.0,
    }
    assert Outcome.INCOMPLETE is start.outcome
    assert 360_000_000_000 == start.seen_ns


CUT_DESCRIPTION = """\
rs are available: 2 No preemption victims found for incoming pod.
  Normal  TriggeredScaleUp        5m2s   cluster-autoscaler       pod triggered scale-up: [{x 1->2 (max: 4)}]
  Normal  Scheduled               3m30s  default-scheduler        Successfully assigned ml/vllm-0 to node-b
  Normal  SuccessfulAttachVolume  3m22s  attachdetach-controller  AttachVolume.Attach succeeded for volume "models"
  Normal  Pulling                 3m15s  kubelet                  Pulling image "vllm/vllm-openai:v0.19.1"
  Normal  Pulled                  3m12s  kubelet                  Successfully pulled image "vllm/vllm-openai:v0.19.1" in 2.5s (2.5s including waiting). Image size: 9612695005 bytes.
  Normal  Created                 3m12s  kubelet                  Created container: vllm
  Normal  Started                 3m7s   kubelet                  Started container vllm
"""


def test_a_description_whose_first_row_is_cut() -> None:
    """Ages tell lengths without anybody knowing when they were read."""
    start = one(CUT_DESCRIPTION)

    assert 92.0 == lengths(start)["scheduling"]
    assert 8.0 == parts(start, "container_setup")["attach volume"]
    assert 7.0 == parts(start, "container_setup")["volumes, network and sandbox"]
    assert 3.0 == lengths(start)["image_pull"]
    assert ["9612695005"] == [fact.printed for fact in start.facts["image_bytes"]]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (
            """\
  Warning  Unhealthy  12m (x3 over 13m)  kubelet  Liveness probe failed: HTTP probe failed with statuscode: 404
  Normal   Killing    12m                kubelet  Container vllm failed liveness probe, will be restarted
""",
            "killed_by_probe",
            "failed liveness probe",
        ),
        (
            """\
2026-09-20T10:00:00.1234567Z 4m2s   Warning   Unhealthy       pod/launcher-7   Liveness probe failed: refused
2026-09-20T10:00:00.1234571Z 3m50s  Warning   LauncherStuck   pod/launcher-7   Launcher is stuck (stuck_starting)
""",
            "stuck",
            "stuck_starting",
        ),
        (
            "triton-5d8f7c-abcde   0/1     OutOfnvidia.com/gpu   0          2m11s\n",
            "pod_failed",
            "OutOfnvidia.com/gpu",
        ),
        (
            (
                'Failed: count=3; last=2026-09-20T10:00:40+00:00; Error: failed to start container "vllm": '
                'exec: "pyton3": executable file not found in $PATH\n'
                '{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": null, '
                '"last_transition_time": "2026-09-20T10:00:00+00:00"}\n'
                '{"type": "PodScheduled", "status": "True", "reason": null, "message": null, '
                '"last_transition_time": "2026-09-20T10:00:00+00:00"}\n'
            ),
            "container_not_started",
            "pyton3: executable file not found",
        ),
        (
            (
                "17x Nominated: Pod should schedule on: nodeclaim/pool-x1y2z, node/node-3 "
                "(vllm-0.180819b84ef9dc25)\n"
                "    FailedScheduling: Failed to schedule pod, would schedule against uninitialized "
                "nodeclaim/pool-x1y2z, node/node-3 (vllm-0.1807dbd7b70f6f8c)\n"
            ),
            "node_not_initialized",
            "uninitialized nodeclaim/pool-x1y2z",
        ),
    ],
)
def test_the_cause_in_a_few_pasted_lines(text: str, kind: str, words: str) -> None:
    """Each says itself what is wrong; no total is made of it."""
    start = one(text)

    assert start.failure is not None
    assert [kind, Outcome.FAILED, None] == [start.failure.kind, start.outcome, start.total]
    assert words in start.failure.message


def condition(type_: str, status: str, at: str, reason: str, message: str = "") -> str:
    return (
        f"    Last Transition Time:  2026-09-20T10:{at}Z\n    Message:               {message}\n"
        f"    Reason:                {reason}\n    Status:                {status}\n"
        f"    Type:                  {type_}\n"
    )


def test_a_described_claim_whose_conditions_are_in_no_order() -> None:
    """Launched, registered, initialised: by their stamps, not by their place."""
    start = one(
        "  Conditions:\n"
        + condition("Initialized", "True", "00:50", "Initialized")
        + condition("Launched", "True", "00:05", "Launched")
        + condition("Registered", "True", "00:31", "Registered")
        + "  Node Name:               ip-10-0-1-9.ec2.internal\n"
    )

    assert {"registered": 26.0, "initialized": 19.0} == parts(start, "node_provisioning")


def test_a_described_claim_with_a_condition_that_is_false() -> None:
    """The stamp of a False condition is no completion, and the reason is told."""
    start = one(
        "  Conditions:\n"
        + condition("Initialized", "False", "00:41", "KnownEphemeralTaintsExist", "taint exists")
        + condition("Launched", "True", "00:05", "Launched")
        + condition("Registered", "True", "00:31", "Registered")
    )

    assert {"registered": 26.0} == parts(start, "node_provisioning")
    assert Outcome.INCOMPLETE is start.outcome
    assert "node-not-there-yet" in codes(start)


def test_a_described_claim_that_never_registered() -> None:
    """Its node was not found."""
    start = one(
        "Conditions:\n"
        + condition("Initialized", "Unknown", "00:03", "AwaitingReconciliation", "awaiting")
        + condition("Registered", "Unknown", "00:03", "NodeNotFound", "Node not registered")
        + condition("Launched", "True", "00:05", "Launched")
    )

    assert start.failure is not None
    assert "node_never_registered" == start.failure.kind
    assert {"launched": 2.0} == parts(start, "node_provisioning")


def log_line(at: str, message: str, name: str = "gpu-a1b2c") -> str:
    return (
        f'{{"level":"INFO","time":"2026-09-20T10:{at}Z","logger":"controller","message":"{message}",'
        f'"NodeClaim":{{"name":"{name}"}}}}\n'
    )


def test_karpenters_own_log_tells_a_node_to_the_millisecond() -> None:
    """Created, launched, registered, initialised."""
    start = one(
        log_line("00:00.500", "created nodeclaim")
        + log_line("00:03.250", "launched nodeclaim")
        + log_line("01:10.750", "registered nodeclaim")
        + log_line("02:00.000", "initialized nodeclaim")
    )

    assert "nodeclaim/gpu-a1b2c" == start.source
    assert {"launched": 2.75, "registered": 67.5, "initialized": 49.25} == parts(
        start, "node_provisioning"
    )


def test_a_log_that_goes_on_without_the_node_says_for_how_long() -> None:
    """Fifteen minutes later the pod is provisionable again: the machine never joined."""
    start = one(
        log_line("00:00.000", "launched nodeclaim")
        + '{"level":"INFO","time":"2026-09-20T10:15:06.742Z","logger":"controller",'
        '"message":"found provisionable pod(s)","commit":"abc"}\n'
    )

    assert start.failure is not None
    assert "node_never_registered" == start.failure.kind
    assert "for 907 s" in start.failure.message
    assert 906.742 == lengths(start)["node_provisioning"]


def test_stamps_without_a_day_tell_a_node_that_was_stuck() -> None:
    """Somebody's own three lines."""
    start = one(
        "09:10:00.250 registered nodeclaim pool-q7r8s\n"
        "09:40:00.000 Pod should schedule on: nodeclaim/pool-q7r8s\n"
        "10:00:00.750 initialized nodeclaim pool-q7r8s\n"
    )

    assert start.failure is not None
    assert "node_stuck_uninitialized" == start.failure.kind
    assert 3000.5 == lengths(start)["node_provisioning"]
