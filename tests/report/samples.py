"""Small logs with round numbers, so that every line of a report can be checked by eye."""

from firstlight.core.starts import Start
from firstlight.explain.explain import explain_log
from firstlight.readers.vllm_log import read_log

_FRONT = "(APIServer pid=1) INFO 03-04 05:{at} [api_server.py:1] "
_ENGINE = "(EngineCore pid=7) INFO 03-04 05:{at} [core.py:1] "


def _stamped(lines: list[tuple[str, str, str]]) -> str:
    """Lines as a container runtime keeps them, each with its time to the nanosecond."""
    return "".join(
        f"2026-03-04T05:{at}.000000000Z stderr F {head.format(at=at)}{said}\n"
        for at, head, said in lines
    )


COLD = _stamped(
    [
        ("00:00", _FRONT, "vLLM API server version 0.26.0"),
        ("00:01", _FRONT, "non-default args: {'model': '/m'}"),
        ("00:09", _FRONT, "Resolved architecture: Qwen3ForCausalLM"),
        ("00:10", _FRONT, "Using max model len 512"),
        ("00:20", _ENGINE, "Waiting for init message from front-end."),
        ("00:21", _ENGINE, "Initializing a V1 LLM engine (v0.26.0) with config: model='/m'"),
        ("00:25", _ENGINE, "world_size=1 rank=0 local_rank=0 distributed_init_method=tcp://x:1"),
        ("00:30", _ENGINE, "Starting to load model /m..."),
        ("00:31", _ENGINE, "Using FLASH_ATTN backend"),
        (
            "00:32",
            _ENGINE,
            "Filesystem type for checkpoints: EXT4. Checkpoint size: 31.20 GiB. Available RAM: ...",
        ),
        ("01:52", _ENGINE, "Loading weights took 80.00 seconds"),
        ("01:53", _ENGINE, "Model loading took 31.22 GiB memory and 82.500000 seconds"),
        (
            "02:00",
            _ENGINE,
            "Using cache directory: /root/.cache/vllm/torch_compile_cache/ab/rank_0",
        ),
        ("02:10", _ENGINE, "Dynamo bytecode transform time: 10.00 s"),
        ("02:12", _ENGINE, "Cache the graph for dynamic shape for later use"),
        ("02:40", _ENGINE, "Compiling a graph for dynamic shape takes 30.00 s"),
        ("02:41", _ENGINE, "torch.compile takes 40.00 s in total"),
        ("02:46", _ENGINE, "Available KV cache memory: 44.50 GiB"),
        ("02:47", _ENGINE, "GPU KV cache size: 123,456 tokens"),
        ("02:57", _ENGINE, "Graph capturing finished in 9 secs, took 0.84 GiB"),
        (
            "02:58",
            _ENGINE,
            "init engine (profile, create kv cache, warmup model) took 64.90 seconds",
        ),
        ("03:00", _FRONT, "Supported tasks: ['generate']"),
        ("03:01", _FRONT, "Starting vLLM API server 0 on http://0.0.0.0:8000"),
        ("03:02", _FRONT, "Route: /health, Methods: GET"),
        ("03:03", _FRONT, "Application startup complete."),
    ]
)

FAILED = _stamped(
    [
        ("00:00", _FRONT, "vLLM API server version 0.26.0"),
        ("00:20", _ENGINE, "Initializing a V1 LLM engine (v0.26.0) with config: model='/m'"),
        ("00:30", _ENGINE, "Starting to load model /m..."),
        ("00:40", _ENGINE, "Model loading took 31.22 GiB memory and 9.500000 seconds"),
        ("00:41", _ENGINE.replace("INFO", "ERROR"), "EngineCore failed to start."),
        ("00:41", _ENGINE.replace("INFO", "ERROR"), "Traceback (most recent call last):"),
        (
            "00:41",
            _ENGINE.replace("INFO", "ERROR"),
            "ValueError: No available memory for the cache blocks. Try increasing it.",
        ),
        (
            "00:42",
            _FRONT.replace("INFO", "ERROR"),
            "RuntimeError: Engine core initialization failed. See root cause above.",
        ),
    ]
)

UNSTAMPED = """\
Starting to load model /m...
Loading weights took 12.21 seconds
Model loading took 6.50 GiB memory and 14.009442 seconds
Directly load the compiled graph(s) for dynamic shape from the cache, took 5.88 s
torch.compile takes 6.80 s in total
Graph capturing finished in 21 secs, took 0.62 GiB
init engine (profile, create kv cache, warmup model) took 35.50 seconds
It took 12.8 seconds to fall asleep.
INFO:     10.0.0.1:53124 - "POST /sleep?level=1 HTTP/1.1" 200 OK
It took 0.97 seconds to wake up tags {'weights', 'kv_cache'}.
"""

SILENT = _stamped(
    [
        ("00:00", _FRONT, "vLLM API server version 0.26.0"),
        ("00:10", _ENGINE, "Starting to load model /m..."),
        ("00:12", _ENGINE, "Model loading took 3.00 GiB memory and 1.900000 seconds"),
        ("00:14", _ENGINE, "Something that nobody knows"),
        ("00:44", _ENGINE, "Something else that nobody knows"),
        (
            "00:45",
            _ENGINE,
            "init engine (profile, create kv cache, warmup model) took 33.0 seconds",
        ),
        ("00:46", _FRONT, "Application startup complete."),
    ]
)


def starts_of(log: str, name: str = "pod.log", link_gbps: float | None = None) -> list[Start]:
    """The starts in a log."""
    return explain_log(read_log(name, [log.encode()]), link_gbps=link_gbps)
