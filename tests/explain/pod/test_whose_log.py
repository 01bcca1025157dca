"""Whose log it is: by the place a bundle gives it, by its name, by its time, or nobody's."""

from typing import Any

from firstlight.core.starts import Start
from tests.explain.pod.cluster import Object, arrival, engine_log, pod, scheduled, stamp, told

FIRST = engine_log(4, load=8, weights=12, ready=20, up=28)
SECOND = engine_log(5, load=9, weights=19, ready=25, up=29)


def two_pods(gap: float = 0) -> list[Object]:
    """Two replicas whose names begin alike, so many seconds apart."""
    later: dict[str, Any] = {"created": gap, "scheduled": 1 + gap, "started": 3 + gap}
    return [
        pod(name="vllm-1", started=3, ready=30),
        scheduled(1, of="vllm-1"),
        pod(name="vllm-10", ready=31 + gap, **later),
    ]


def loads(starts: list[Start]) -> dict[str, float | None]:
    """How long each start loaded weights, by its source."""
    return {
        start.source: next(
            (span.length_ns / 1e9 for span in start.phases if span.name == "weight_load"), None
        )
        for start in starts
    }


def test_a_bundles_place_decides_and_names_are_whole() -> None:
    """vllm-1 is not vllm-10, whatever folders stand before."""
    root = "/tmp/previous-week/vllm-10.bundle/logs"
    starts = told(
        *two_pods(),
        logs={f"{root}/vllm-10/vllm.log": SECOND, f"{root}/vllm-1/vllm.log": FIRST},
    )

    assert {"demo/vllm-1 [vllm]": 4.0, "demo/vllm-10 [vllm]": 10.0} == loads(starts)


def test_the_pods_name_in_a_file_of_ones_own_decides() -> None:
    """As anybody would call it."""
    starts = told(*two_pods(), logs={"vllm-10.log": SECOND, "a/vllm-1.txt": FIRST})

    assert {"demo/vllm-1 [vllm]": 4.0, "demo/vllm-10 [vllm]": 10.0} == loads(starts)


def test_replicas_that_started_together_are_not_told_apart_by_the_time() -> None:
    """A guess would put one pod's seconds into the other: the log is explained alone."""
    starts = told(*two_pods(gap=1), logs={"a.log": FIRST})

    assert {"demo/vllm-1 [vllm]": None, "demo/vllm-10 [vllm]": None, "a.log": 4.0} == loads(starts)


def test_a_log_belongs_to_the_run_that_began_right_before_it() -> None:
    """The earlier pod still runs."""
    later = engine_log(504, load=508, weights=512, ready=520, up=528)
    starts = told(*two_pods(gap=500), logs={"a.log": later, "b.log": FIRST})

    assert {"demo/vllm-1 [vllm]": 4.0, "demo/vllm-10 [vllm]": 4.0} == loads(starts)


def test_a_sidecars_log_is_not_the_engines() -> None:
    """It lies under the same pod."""
    starts = told(
        pod(started=3, ready=30),
        arrival(None, 2, 2.5, 3),
        logs={"b/logs/vllm-0/proxy.log": FIRST},
    )

    assert {"demo/vllm-0 [vllm]": None, "b/logs/vllm-0/proxy.log": 4.0} == loads(starts)


def test_the_previous_log_is_the_previous_runs() -> None:
    """By the end of its name, not by a folder's."""
    ended = {
        "terminated": {
            "exitCode": 1,
            "reason": "Error",
            "startedAt": stamp(3),
            "finishedAt": stamp(40),
        }
    }
    state = {"restartCount": 1, "lastState": ended}
    broken = "".join(SECOND.splitlines(keepends=True)[:3])
    later = engine_log(51, load=55, weights=57, ready=60, up=69)
    starts = told(
        pod(started=50, ready=70, state=state),
        logs={
            "previous/logs/vllm-0/vllm.log": later,
            "previous/logs/vllm-0/vllm.previous.log": broken,
        },
    )

    assert [10.0, 2.0] == [
        span.length_ns / 1e9 for s in starts for span in s.phases if span.name == "weight_load"
    ]
