"""Whatever a cluster says, in whatever order of time: a total is the sum of its phases, or none."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.starts import Start
from firstlight.report.json_contract import explanation
from tests.explain.pod.cluster import (
    Object,
    claim,
    condition,
    engine_log,
    event,
    node,
    pod,
    stamp,
    told,
)

MOMENTS = st.integers(0, 400).map(lambda n: n / 4)
MAYBE = st.none() | MOMENTS
REASONS = (
    *("Scheduled", "FailedScheduling", "Nominated", "TriggeredScaleUp", "Pulling", "Pulled"),
    *("Created", "Started", "Killing", "BackOff", "Failed", "Unhealthy", "SandboxChanged"),
    *("SuccessfulAttachVolume", "FailedMount", "FailedCreatePodSandBox", "SuccessfulCreate"),
)
MESSAGES = (
    "",
    'Successfully pulled image "i" in 3s (9s including waiting). Image size: 7 bytes.',
    'Container image "i" already present on machine',
    "Created pod: vllm-0",
    "Pod should schedule on: nodeclaim/gpu-abc12",
    "Container vllm failed liveness probe, will be restarted",
    'exec: "x": not found',
)


@st.composite
def runs(draw: st.DrawFn) -> dict[str, Any]:
    """A container's state, and the run before."""
    ended = {
        "terminated": {
            "exitCode": draw(st.sampled_from([0, 1, 137])),
            "reason": draw(st.sampled_from(["OOMKilled", "Error"])),
            "startedAt": stamp(draw(MOMENTS)),
            "finishedAt": stamp(draw(MOMENTS)),
        }
    }
    running = {"running": {"startedAt": stamp(draw(MOMENTS))}}
    waiting = {"waiting": {"reason": draw(st.sampled_from(["CrashLoopBackOff", "ErrImagePull"]))}}
    return {
        "restartCount": draw(st.integers(0, 2)),
        "state": draw(st.sampled_from([running, ended, waiting])),
        "lastState": draw(st.sampled_from([{}, ended])),
    }


@st.composite
def clusters(draw: st.DrawFn) -> list[Object]:
    """A pod with everything around it, at moments that need not make sense."""
    probe = {"periodSeconds": draw(st.integers(1, 20)), "httpGet": {"port": 8000, "path": "/h"}}
    made = pod(
        created=draw(MAYBE),
        scheduled=draw(MAYBE),
        ready=draw(MAYBE),
        container={"readinessProbe": probe},
        init=[("fetch", draw(MOMENTS), draw(MOMENTS))] * draw(st.integers(0, 1)),
        conditions=[condition("PodReadyToStartContainers", draw(MOMENTS))]
        * draw(st.integers(0, 1)),
        state=draw(runs()),
    )
    events = [
        event(
            draw(MOMENTS),
            draw(st.sampled_from(REASONS)),
            draw(st.sampled_from(MESSAGES)),
            container=draw(st.sampled_from(["", "vllm", "fetch"])),
            by=draw(st.sampled_from(["kubelet", "default-scheduler"])),
            recorded=draw(MAYBE),
        )
        for _ in range(draw(st.integers(0, 12)))
    ]
    steps = [
        condition(kind, draw(MOMENTS), draw(st.sampled_from(["True", "False"])))
        for kind in ("Launched", "Registered", "Initialized")
    ]
    around = [node(draw(MOMENTS), draw(MOMENTS)), claim(draw(MOMENTS), steps)]
    return [made, *events, *draw(st.lists(st.sampled_from(around), unique_by=id))]


@st.composite
def logs(draw: st.DrawFn) -> dict[str, str]:
    if draw(st.booleans()):
        return {}
    begins, load, weights, ready, up = draw(st.lists(MOMENTS, min_size=5, max_size=5))
    text = engine_log(begins, load=load, weights=weights, ready=ready, up=up)
    return {draw(st.sampled_from(["logs/vllm-0/vllm.log", "a.txt"])): text}


def check(start: Start) -> None:
    """What holds for every start."""
    if start.total is not None:
        assert start.total.timeline.length_ns == sum(span.length_ns for span in start.phases)
        assert start.total.uncertainty_ns >= 0
    names = [span.name for span in start.phases]
    assert len(names) == len(set(names))
    for span in start.phases:
        for child in span.children:
            assert child.length_ns <= span.length_ns


@settings(max_examples=40)
@given(clusters(), logs())
def test_the_phases_of_any_pod_add_up(objects: list[Object], lines: dict[str, str]) -> None:
    """Stamps that contradict each other cost a phase or the total, never the sum."""
    starts = told(objects, logs=lines)

    for start in starts:
        check(start)
    assert len(starts) == len(explanation(starts)["starts"])
