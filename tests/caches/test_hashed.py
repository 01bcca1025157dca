"""What decides vLLM's key, held against the engine's own functions."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from firstlight.caches.hashed import hashed_arguments, hashed_environment
from firstlight.caches.not_hashed import (
    ENGINE_ARGUMENTS,
    SERVER_ARGUMENTS,
)

ASK = """
import dataclasses, json, sys
import vllm.envs as envs
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.entrypoints.launchers.cli_args import FrontendArgs

def digest(**changed):
    return AsyncEngineArgs(model=sys.argv[1], **changed).create_engine_config().compute_hash()

dashed = lambda names: sorted("--" + name.replace("_", "-") for name in names)
named = lambda kind: dashed(field.name for field in dataclasses.fields(kind))
plain = digest()
tried = {
    "config_format": "hf", "disable_log_stats": True, "download_dir": "/tmp/x",
    "enable_chunked_prefill": False, "enable_log_requests": True,
    "enable_prefix_caching": False, "gpu_memory_utilization": 0.5,
    "kv_cache_memory_bytes": 10**8, "kv_cache_metrics": True, "load_format": "dummy",
    "log_config_file": sys.argv[2], "model_loader_extra_config": {"concurrency": 4},
    "num_gpu_blocks_override": 100, "otlp_traces_endpoint": "http://127.0.0.1:4317",
    "safetensors_load_strategy": "eager", "scheduling_policy": "priority", "seed": 7,
    "served_model_name": "x", "shutdown_timeout": 5, "skip_tokenizer_init": True,
    "structured_outputs_config": {"backend": "guidance"}, "tokenizer": sys.argv[1] + "/",
    "tokenizer_mode": "slow", "tokens_only": True, "use_tqdm_on_load": False,
    "dtype": "float32", "enforce_eager": True, "max_model_len": 64, "max_num_seqs": 8,
}
changes = [name for name, value in tried.items() if digest(**{name: value}) != plain]
print(json.dumps({
    "server": named(FrontendArgs), "engine": named(AsyncEngineArgs), "changes": dashed(changes),
    "tried": dashed(tried), "known": list(envs.environment_variables),
    "hashed": list(envs.compile_factors()),
}))
"""


@pytest.fixture(scope="module")
def told(engine_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What the engine says of itself."""
    logging = tmp_path_factory.mktemp("asked") / "logging.json"
    logging.write_text('{"version": 1}')
    python = engine_folder / "venv" / "bin" / "python"
    done = subprocess.run(
        [python, "-c", ASK, engine_folder / "model", logging],
        capture_output=True,
        check=True,
        text=True,
        env={
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "VLLM_LOGGING_LEVEL": "ERROR",
            "PATH": "/usr/bin:/bin",
        },
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {name: set(values) for name, values in found.items()}


@pytest.mark.engine
@pytest.mark.timeout(300)
def test_the_arguments_are_the_engines_own(told: dict[str, set[str]]) -> None:
    """Each one of the engine that is called harmless was tried, and no other of the server's."""
    harmless = SERVER_ARGUMENTS | ENGINE_ARGUMENTS

    assert told["engine"] >= ENGINE_ARGUMENTS
    assert told["tried"] >= harmless & told["engine"]
    assert {"--max-num-seqs", "--max-model-len", "--enforce-eager", "--dtype"} == told["changes"]
    assert set() == told["changes"] & harmless
    assert told["server"] <= SERVER_ARGUMENTS


@pytest.mark.engine
@pytest.mark.timeout(300)
def test_the_variables_are_the_engines_own(told: dict[str, set[str]]) -> None:
    """All that it hashes and nothing else, of all that it knows, whatever they begin with."""
    own = told["known"] | told["hashed"]

    assert told["hashed"] == set(hashed_environment(dict.fromkeys(own, "x")))


def test_only_what_is_hashed_is_kept() -> None:
    """A port, a log level and a Service's link make no other key."""
    arguments = {"--port": "1", "--max-num-seqs": "8", "--enforce-eager": "", "--seed": "3"}
    environment = {
        "VLLM_LOGGING_LEVEL": "DEBUG",
        "VLLM_ATTENTION_BACKEND": "X",
        "VLLM_SERVICE_HOST": "10.0.0.1",
        "VLLM_PORT_8000_TCP_ADDR": "10.0.0.1",
        "VLLM_NIXL_SIDE_CHANNEL_PORT": "5600",
        "MAX_JOBS": "4",
        "CUDA_HOME": "/usr/local/cuda",
        "PATH": "/bin",
    }
    kept = ("CUDA_HOME", "VLLM_ATTENTION_BACKEND", "VLLM_NIXL_SIDE_CHANNEL_PORT")

    assert {"--max-num-seqs": "8", "--enforce-eager": None} == hashed_arguments(arguments)
    assert {name: environment[name] for name in kept} == hashed_environment(environment)


def test_nothing_of_a_secret_is_kept() -> None:
    """No digest either, which can be tried against a list of words; that there is one is said."""
    url = {"VLLM_WHEEL_URL": "https://bob:s3cr3tPassw0rd@host/x"}

    one, other = (hashed_environment({"VLLM_X_TOKEN": value}) for value in ("hunter2", "hunter3"))

    assert one == other != {}
    assert "hunter2" not in str(one)
    assert "s3cr3tPassw0rd" not in str(hashed_environment(url))
