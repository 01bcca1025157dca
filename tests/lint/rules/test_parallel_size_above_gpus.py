"""Ranks and the GPUs of a pod."""

from typing import Any

import pytest

from tests.lint.rules.engines import engine, hits, says

CODE = "parallel-size-above-gpus"
TWO = {"nvidia.com/gpu": "2"}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--tensor-parallel-size=4",), "--tensor-parallel-size 4 needs 4"),
        (("-tp", "4"), "--tensor-parallel-size 4 needs 4"),
        (("-tp", "$(RANKS)"), "--tensor-parallel-size 4 needs 4"),
        (("-tp=4", "--distributed-executor-backend=mp"), "--tensor-parallel-size 4 needs 4"),
        (
            ("-tp=2", "--pipeline_parallel_size=2"),
            "--tensor-parallel-size 2 times --pipeline-parallel-size 2 needs 4",
        ),
        (
            ("-tp=2", "-dp=2"),
            "--tensor-parallel-size 2 times --data-parallel-size 2 needs 4",
        ),
        (
            ("-tp=2", "-dp=8", "-dpl=2", "--data-parallel-address=10.0.0.1"),
            "--tensor-parallel-size 2 times --data-parallel-size-local 2 needs 4",
        ),
    ],
)
def test_more_ranks_than_gpus_are_an_error(args: tuple[str, ...], said: str) -> None:
    """In every spelling, from a variable, and as a product."""
    text = engine(*args, limits=TWO, env={"RANKS": "4"})
    assert [f"{said} GPUs in this pod, and the container gets 2 GPUs"] == says(CODE, text)


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("-tp=2",),
        ("-tp=1", "-pp=2"),
        ("-tp=4", "--nnodes=2"),
        ("-tp=4", "--distributed-executor-backend", "ray"),
        ("-tp=4", "--distributed-executor-backend", "external_launcher"),
        ("-tp=4", "--headless"),
        ("-tp=2", "-dp=8", "-dpl=1", "--data-parallel-address=10.0.0.1"),
        ("-tp=2", "-dp=8", "--data-parallel-backend=ray"),
        ("-tp=2", "-dp=8", "--data-parallel-rank=3"),
        ("-tp", "$(ELSEWHERE)"),
    ],
)
def test_ranks_that_fit_or_may_be_in_other_pods_are_fine(args: tuple[str, ...]) -> None:
    """A number that nobody knows is fine, too."""
    assert not hits(CODE, engine(*args, limits=TWO))


@pytest.mark.parametrize(
    "limits",
    [
        {"nvidia.com/gpu": "${GPUS}"},
        {"nvidia.com/gpu": "0"},
        {"nvidia.com/gpu": "0", "aliyun.com/gpu-mem": "40"},
        {"nvidia.com/gpu": "0", "aws.amazon.com/neuron": "1"},
    ],
)
def test_gpus_that_cannot_be_counted_are_left_alone(limits: dict[str, str]) -> None:
    """Neuron's devices have several cores, and shares of a GPU are no GPUs."""
    assert not hits(CODE, engine("-tp=4", limits=limits))


@pytest.mark.parametrize(
    "changes",
    [
        {"script": "ray start --head && vllm serve /models/qwen --tensor-parallel-size 4"},
        {"script": "/opt/multi-node-serving.sh leader; vllm serve /models/qwen -tp 4"},
        {"env": {"RAY_ADDRESS": "head:6379"}},
        {"env": {"NVIDIA_VISIBLE_DEVICES": "all"}},
        {"kind": "LeaderWorkerSet"},
    ],
)
def test_engines_over_several_pods_are_fine(changes: dict[str, Any]) -> None:
    """Where something says that there are others, or that more GPUs are seen."""
    assert not hits(CODE, engine("-tp=4", limits=TWO, **changes))


def test_a_script_that_only_starts_the_engine_is_read() -> None:
    """Ray is not in it."""
    assert hits(CODE, engine(script="exec vllm serve /models/qwen -tp 4", limits=TWO))
