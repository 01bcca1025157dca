"""Rules about the memory that a container may use."""

import pytest

from firstlight.lint.scene import Stated
from tests.lint.judging import judged
from tests.lint.rules.engines import engine, hits, written

SLEEP = "sleep-host-memory"
STREAMER = "streamer-memory"
MODEL = Stated(model_bytes=33_500_000_000)
SLEEPS = "--enable-sleep-mode"
RUNAI = "--load-format=runai_streamer"


def cron(call: str) -> str:
    pod = {"containers": [{"name": "c", "image": "curlimages/curl:8.16.0", "args": [call]}]}
    return written("CronJob", "sleeper", {"jobTemplate": {"spec": {"template": {"spec": pod}}}})


@pytest.mark.parametrize(
    ("limit", "is_small"),
    [("24Gi", True), ("33G", True), ("33500000000", True), ("64Gi", False), ("1Ti", False)],
)
def test_a_limit_below_the_model_is_found_for_sleep_and_streamer(
    limit: str, is_small: bool
) -> None:
    """In each way to write a quantity; at the same size nothing is left for others."""
    limits = {"memory": limit}
    assert is_small == hits(SLEEP, engine(SLEEPS, limits=limits), stated=MODEL)
    assert is_small == hits(STREAMER, engine(RUNAI, limits=limits), stated=MODEL)


@pytest.mark.parametrize(
    ("args", "limit", "severities"),
    [
        ((), "33G", ["error"]),
        ((), "33500000000", ["warning"]),
        ((), "36499999999", ["warning"]),
        ((), "36500000000", []),
        (("-tp=4",), "45G", ["warning"]),
        (("-tp=4",), "45500000000", []),
    ],
)
def test_what_a_worker_holds_besides_is_a_warning(
    args: tuple[str, ...], limit: str, severities: list[str]
) -> None:
    """3 GB each, as others measured it."""
    text = engine(SLEEPS, *args, limits={"memory": limit, "nvidia.com/gpu": "4"})

    assert severities == [one.severity for one in judged(text, [SLEEP], stated=MODEL).findings]


def test_without_a_limit_a_size_or_sleep_mode_nothing_follows() -> None:
    """The node's memory is not in the manifests."""
    small = {"memory": "8Gi"}
    assert not hits(SLEEP, engine(SLEEPS), stated=MODEL)
    assert not hits(SLEEP, engine(SLEEPS, limits=small))
    assert not hits(SLEEP, engine(limits=small), stated=MODEL)
    assert not hits(STREAMER, engine(RUNAI), stated=MODEL)
    assert not hits(STREAMER, engine(RUNAI, limits=small))


def test_sleep_of_level_2_needs_no_host_memory() -> None:
    """Where all calls that are seen are of level 2."""
    small = engine(SLEEPS, limits={"memory": "8Gi"})
    assert not hits(SLEEP, small, cron("http://qwen/sleep?level=2"), stated=MODEL)
    assert hits(SLEEP, small, cron("http://qwen/sleep?mode=wait&level=1"), stated=MODEL)
    assert hits(SLEEP, small, cron("http://qwen/sleep"), stated=MODEL)
    waits = "/bin/sleep 5; curl -X POST http://qwen/sleep?level=2; cat /etc/sleep.d/one /sleep-log"
    assert not hits(SLEEP, small, cron(waits), stated=MODEL)


def test_a_gateway_says_the_level_of_its_own() -> None:
    """Whoever orders a sleep there names none."""
    beside = {"name": "g", "image": "firstlight:1", "args": ["gate", "--engine=http://[::1]:8000"]}
    order = cron("-X POST http://qwen/-/sleep")

    for level, is_found in (("1", True), ("2", False)):
        words = [*beside["args"], "--level", level]
        small = engine(
            SLEEPS, limits={"memory": "8Gi"}, pod={"containers": [beside | {"args": words}]}
        )
        assert is_found == hits(SLEEP, small, order, stated=MODEL)


def test_a_model_that_is_spread_over_pods_is_not_judged() -> None:
    """Each pod holds a part of it."""
    text = engine(SLEEPS, "--tensor-parallel-size=8", limits={"memory": "8Gi"})
    assert not hits(SLEEP, text, stated=MODEL)


@pytest.mark.parametrize(
    ("args", "env", "limit", "is_found"),
    [
        (("--model-loader-extra-config", '{"memory_limit": 40000000000}'), {}, "32Gi", True),
        (("--model-loader-extra-config", '{"memory_limit": 5000000000}'), {}, "8Gi", False),
        (("--model-loader-extra-config.memory_limit=40000000000",), {}, "32Gi", True),
        (("--model_loader_extra_config", '{"memory_limit": 0}'), {}, "8Gi", False),
        (("--model-loader-extra-config", '{"concurrency": 16}'), {}, "8Gi", False),
        (("--model-loader-extra-config", "$(CONFIG)"), {}, "8Gi", False),
        ((), {"RUNAI_STREAMER_MEMORY_LIMIT": "40000000000"}, "32Gi", True),
        ((), {"RUNAI_STREAMER_MEMORY_LIMIT": "-1"}, "8Gi", False),
        ((), {"RUNAI_STREAMER_MEMORY_LIMIT": "0"}, "8Gi", False),
        ((), {"RUNAI_STREAMER_MEMORY_LIMIT": "much"}, "8Gi", False),
    ],
)
def test_a_buffer_that_somebody_chose_counts_without_the_models_size(
    args: tuple[str, ...], env: dict[str, str], limit: str, is_found: bool
) -> None:
    """-1 is the whole model, 0 the largest tensor: of unknown size both."""
    assert is_found == hits(STREAMER, engine(RUNAI, *args, env=env, limits={"memory": limit}))


@pytest.mark.parametrize(
    ("env", "limit", "is_found"),
    [
        ({"RUNAI_STREAMER_MEMORY_LIMIT": "-1"}, "24Gi", True),
        ({"RUNAI_STREAMER_MEMORY_LIMIT": "40000000000"}, "34Gi", False),
        ({}, "24Gi", True),
        ({"RUNAI_STREAMER_MEMORY_LIMIT": "0"}, "8Gi", False),
    ],
)
def test_the_buffer_is_no_larger_than_the_model(
    env: dict[str, str], limit: str, is_found: bool
) -> None:
    """33.5 GB, whatever more it might take."""
    text = engine(RUNAI, env=env, limits={"memory": limit})
    assert is_found == hits(STREAMER, text, stated=MODEL)


@pytest.mark.parametrize(
    ("args", "model", "is_found"),
    [
        ((), "s3://models/qwen", True),
        (("--load-format=auto",), "s3://models/qwen", True),
        ((), "/models/qwen", False),
        (("--load-format=safetensors",), "/models/qwen", False),
    ],
)
def test_a_model_in_a_bucket_is_streamed_without_being_told(
    args: tuple[str, ...], model: str, is_found: bool
) -> None:
    """vLLM chooses the streamer by itself."""
    text = engine(*args, model=model, limits={"memory": "8Gi"})
    assert is_found == hits(STREAMER, text, stated=MODEL)


@pytest.mark.parametrize(
    ("args", "limit", "is_found"),
    [
        ((), "40Gi", False),
        (("-tp=2",), "40Gi", True),
        (("-tp=2",), "80Gi", False),
        (("-tp=4", "-pp=2"), "120Gi", True),
        (("-tp=2", "--model-loader-extra-config", '{"distributed": true}'), "40Gi", False),
        (("-tp=2", "--model-loader-extra-config.distributed=true"), "40Gi", False),
        (("-tp=2", "--model-loader-extra-config.distributed=false"), "40Gi", True),
        (("-tp=2", "--load-format=runai_streamer_sharded"), "40Gi", False),
    ],
)
def test_each_rank_has_a_buffer(args: tuple[str, ...], limit: str, is_found: bool) -> None:
    """Unless they read together; of a sharded model they hold it once."""
    text = engine(RUNAI, *args, limits={"memory": limit, "nvidia.com/gpu": "4"})
    assert is_found == hits(STREAMER, text, stated=MODEL)
