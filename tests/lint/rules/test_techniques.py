"""Rules about techniques that undo each other, or that something undoes."""

from typing import Any

import pytest

from tests.lint.rules.engines import CLAIM, EMPTY_DIR, HOST_PATH, beside, engine, hits

EXCLUDE = "techniques-exclude-each-other"
PLAN = "startup-plan-not-kept"
BYTECODE = "bytecode-not-kept"
FORK = "worker-fork-undone"


@pytest.mark.parametrize(
    ("args", "is_found"),
    [
        (("--load-format=ipc_cache", "--enable-sleep-mode"), True),
        (("--enable_sleep_mode", "--load_format", "ipc_cache"), True),
        (("--load-format=ipc_cache",), False),
        (("--enable-sleep-mode",), False),
        (("--load-format=runai_streamer", "--enable-sleep-mode"), False),
        (("--load-format=ipc_cache", "$(MORE)"), False),
    ],
)
def test_two_that_exclude_each_other_are_found_by_their_arguments(
    args: tuple[str, ...], is_found: bool
) -> None:
    """A daemon's weights, and sleep."""
    assert is_found == hits(EXCLUDE, engine(*args, model="/models/qwen"))


@pytest.mark.parametrize(
    ("image", "volume", "is_found"),
    [
        ("v0.26.0", HOST_PATH, False),
        ("v0.26.0", EMPTY_DIR, True),
        ("v0.25.1", HOST_PATH, True),
        ("latest", CLAIM, False),
    ],
)
def test_a_plan_needs_a_cache_that_is_kept_and_an_engine_that_knows_plans(
    image: str, volume: dict[str, Any], is_found: bool
) -> None:
    """They came with 0.26."""
    env = {"VLLM_ENABLE_STARTUP_PLAN": "1", "VLLM_CACHE_ROOT": "/cache/vllm"}
    text = engine(env=env, volumes={"/cache": volume}, image=f"vllm/vllm-openai:{image}")
    assert is_found == hits(PLAN, text)
    assert not hits(PLAN, text.replace('"value": "1"', '"value": "0"'))


@pytest.mark.parametrize(
    ("env", "volume", "is_found"),
    [
        ({}, HOST_PATH, False),
        ({}, EMPTY_DIR, True),
        ({"PYTHONDONTWRITEBYTECODE": "1"}, HOST_PATH, True),
        ({"PYTHONDONTWRITEBYTECODE": ""}, HOST_PATH, False),
    ],
)
def test_bytecode_has_to_be_written_and_kept(
    env: dict[str, str], volume: dict[str, Any], is_found: bool
) -> None:
    """An empty text is no switch to Python."""
    env = {"PYTHONPYCACHEPREFIX": "/cache/pycache", **env}
    assert is_found == hits(BYTECODE, engine(env=env, volumes={"/cache": volume}))


def test_bytecode_that_another_container_may_write_is_fine() -> None:
    """The engine itself need not."""
    env = {"PYTHONPYCACHEPREFIX": "/cache/pycache", "PYTHONDONTWRITEBYTECODE": "1"}
    pod = beside("compile", "volume-0", "/cache")
    assert not hits(BYTECODE, engine(env=env, volumes={"/cache": EMPTY_DIR}, pod=pod))
    assert not hits(BYTECODE, engine(env={"PYTHONDONTWRITEBYTECODE": "1"}))


@pytest.mark.parametrize(
    ("method", "args", "image", "is_found"),
    [
        ("fork", (), "vllm-openai", False),
        ("fork", ("--numa-bind",), "vllm-openai", True),
        ("spawn", ("--numa-bind",), "vllm-openai", False),
        ("fork", (), "vllm-openai-cpu", True),
        ("fork", (), "vllm-openai-xpu", True),
    ],
)
def test_fork_that_vllm_turns_into_spawn_is_found(
    method: str, args: tuple[str, ...], image: str, is_found: bool
) -> None:
    """For NUMA, and on platforms that know spawn only."""
    env = {"VLLM_WORKER_MULTIPROC_METHOD": method}
    assert is_found == hits(FORK, engine(*args, env=env, image=f"vllm/{image}:v0.32.0"))
