"""What decides vLLM's key, held against the engine's own functions."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from firstlight.caches.hashed import hashed_arguments, hashed_environment
from firstlight.caches.not_hashed import ENGINE, SERVER, VARIABLES

ASK = """
import dataclasses, json, sys
import vllm.envs as envs
from vllm.engine.arg_utils import AsyncEngineArgs, EngineArgs
from vllm.entrypoints.launchers.cli_args import FrontendArgs

def digest(**changed):
    return EngineArgs(model=sys.argv[1], **changed).create_engine_config().compute_hash()

named = lambda kind: sorted("--" + f.name.replace("_", "-") for f in dataclasses.fields(kind))
plain = digest()
tried = {
    "config_format": "hf", "download_dir": "/tmp/x", "enable_chunked_prefill": False,
    "enable_prefix_caching": False, "gpu_memory_utilization": 0.5,
    "kv_cache_memory_bytes": 10**8, "kv_cache_metrics": True, "load_format": "dummy",
    "model_loader_extra_config": {"concurrency": 4}, "num_gpu_blocks_override": 100,
    "safetensors_load_strategy": "eager", "scheduling_policy": "priority", "seed": 7,
    "shutdown_timeout": 5, "skip_tokenizer_init": True,
    "structured_outputs_config": {"backend": "guidance"}, "tokenizer": sys.argv[1] + "/",
    "tokenizer_mode": "slow", "use_tqdm_on_load": False, "served_model_name": "x",
    "max_num_seqs": 8, "max_model_len": 64, "enforce_eager": True, "dtype": "float32",
}
changes = [name for name, value in tried.items() if digest(**{name: value}) != plain]
print(json.dumps({
    "front": named(FrontendArgs), "engine": named(AsyncEngineArgs), "changes": changes,
    "tried": list(tried), "known": list(envs.environment_variables),
    "hashed": list(envs.compile_factors()),
}))
"""


@pytest.fixture(scope="module")
def told(engine_folder: Path) -> dict[str, Any]:
    """What the engine says of itself."""
    ready = json.loads((engine_folder / "ready.json").read_text())
    done = subprocess.run(
        [engine_folder / "venv" / "bin" / "python", "-c", ASK, ready.get("model", "model")],
        capture_output=True,
        check=True,
        text=True,
        cwd=engine_folder,
        env={
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "VLLM_LOGGING_LEVEL": "ERROR",
            "PATH": "/usr/bin:/bin",
        },
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.engine
@pytest.mark.timeout(300)
def test_the_lists_are_the_engines_own(told: dict[str, Any]) -> None:
    """Nothing is called harmless that changes the key, and nothing of the server is missed."""
    dashed = {f"--{name.replace('_', '-')}" for name in told["changes"]}

    assert set() == dashed & {*SERVER, *ENGINE}
    assert {"--max-num-seqs", "--max-model-len", "--enforce-eager", "--dtype"} <= dashed
    assert set(told["front"]) <= set(SERVER)
    assert set() == VARIABLES & set(told["hashed"])
    own = {name for name in told["known"] if name.startswith("VLLM_")}
    assert own - set(told["hashed"]) <= VARIABLES


def test_only_what_is_hashed_is_kept() -> None:
    """A port, a log level and a Service's link make no other key."""
    arguments = {"--port": "1", "--max-num-seqs": "8", "--enforce-eager": "", "--seed": "3"}
    environment = {
        "VLLM_LOGGING_LEVEL": "DEBUG",
        "VLLM_ATTENTION_BACKEND": "X",
        "VLLM_SERVICE_HOST": "10.0.0.1",
        "VLLM_PORT_8000_TCP_ADDR": "10.0.0.1",
        "PATH": "/bin",
    }

    assert {"--max-num-seqs": "8", "--enforce-eager": None} == hashed_arguments(arguments)
    assert {"VLLM_ATTENTION_BACKEND": "X"} == hashed_environment(environment)
